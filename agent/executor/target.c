#include "agent/executor/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/target_make.h"

static const struct target_def builtin = {
    .name = "pitwall", .program = "pitwall-target", .contract = true};

/* The builtin one comes first. */
static const struct target_def *at(const struct targets *targets, size_t i)
{
    if (i == 0)
        return &builtin;
    return targets && i <= targets->n ? &targets->items[i - 1] : NULL;
}

void target_list(const struct targets *targets, char *buf, size_t size)
{
    const struct target_def *def;
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; (def = at(targets, i)) && used < size; i++)
        if (!def->missing)
            used += (size_t)snprintf(buf + used, size - used, "%s%s",
                                     used ? "," : "", def->name);
}

enum err target_find(const struct targets *targets, const char *name,
                     const struct target_def **out, struct why *why)
{
    const struct target_def *def;
    char names[256];
    for (size_t i = 0; (def = at(targets, i)); i++)
        if (!strcmp(name, def->name)) {
            if (def->missing)
                return err_set(why, ERR_UNSUPPORTED, "target \"%.60s\": %s",
                               name, def->missing);
            *out = def;
            return ERR_OK;
        }
    target_list(targets, names, sizeof names);
    return err_set(why, ERR_NOTFOUND, "target \"%.60s\"; this agent has: %s",
                   name, names);
}

/* One line of target_maps into buf[size]; its length, or more than size. */
static size_t line_of(const struct target_def *def, char *buf, size_t size)
{
    char name[96], form[160];
    size_t used = (size_t)snprintf(buf, size, "%s=%s%.200s", def->name,
                                   def->missing ? "!" : "",
                                   def->missing ? def->missing : "");
    bool first = true;
    if (!def->missing && def->unmanaged) {
        used += (size_t)snprintf(buf + used, size - used, "unmanaged");
        first = false;
    }
    for (size_t i = 0;
         !def->missing && used < size &&
         target_factor(def, i, name, sizeof name, form, sizeof form);
         i++, first = false)
        used +=
            (size_t)snprintf(buf + used, size - used, "%s%s%s%s",
                             first ? "" : " ", name, form[0] ? ":" : "", form);
    return used < size ? used + (size_t)snprintf(buf + used, size - used, "\n")
                       : used;
}

void target_maps(const struct targets *targets, char *buf, size_t size)
{
    const struct target_def *def;
    size_t used = 0;
    for (size_t i = 0; (def = at(targets, i)); i++) {
        size_t n = line_of(def, buf + used, size - used);
        used += n < size - used ? n : 0;
        buf[used] = '\0';
    }
}

static bool grow(void **items, size_t n, size_t size)
{
    void *grown = reallocarray(*items, n + 1, size);
    if (grown)
        *items = grown;
    return grown;
}

enum err targets_keep(struct targets *targets, struct jv *root, struct why *why)
{
    if (!grow((void **)&targets->roots, targets->n_roots,
              sizeof *targets->roots)) {
        jv_free(root);
        return err_set(why, ERR_NOMEM, "targets");
    }
    targets->roots[targets->n_roots++] = root;
    return ERR_OK;
}

enum err targets_add(struct targets *targets, const struct target_def *def,
                     struct why *why)
{
    for (size_t i = 0; i < targets->n; i++)
        if (!strcmp(targets->items[i].name, def->name)) {
            if (!strcmp(targets->items[i].folder, def->folder))
                return err_set(why, ERR_EXISTS,
                               "target \"%s\" is defined twice in %s",
                               def->name, def->folder);
            targets->items[i] = *def;
            return ERR_OK;
        }
    if (targets->n == TARGETS_MAX)
        return err_set(why, ERR_RANGE, "more than %u targets", TARGETS_MAX);
    if (!grow((void **)&targets->items, targets->n, sizeof *targets->items))
        return err_set(why, ERR_NOMEM, "targets");
    targets->items[targets->n++] = *def;
    return ERR_OK;
}

void targets_miss(struct targets *targets, struct target_def *def,
                  const char *text)
{
    char *copy = strdup(text);
    def->missing = "it cannot be started here";
    if (!copy || !grow((void **)&targets->texts, targets->n_texts,
                       sizeof *targets->texts)) {
        free(copy);
        return;
    }
    targets->texts[targets->n_texts++] = copy;
    def->missing = copy;
}

void targets_free(struct targets *targets)
{
    for (size_t i = 0; i < targets->n_roots; i++)
        jv_free(targets->roots[i]);
    for (size_t i = 0; i < targets->n_texts; i++)
        free(targets->texts[i]);
    free(targets->items);
    free(targets->roots);
    free(targets->texts);
    *targets = (struct targets){.n = 0};
}
