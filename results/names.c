#include "results/names.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 64u

void names_fini(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->texts[i]);
    free(names->texts);
    free(names->slots);
    *names = (struct names){.n = 0};
}

/* Where text stands, or the free slot where it would; there is always one. */
static size_t slot_of(const struct names *names, const char *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    size_t at = (size_t)(hash ^ hash >> 29) & (names->n_slots - 1);
    while (names->slots[at] &&
           strcmp(names->texts[names->slots[at] - 1], text) != 0)
        at = (at + 1) & (names->n_slots - 1);
    return at;
}

/* Room for one more, at most half of the slots taken. */
static enum err grow(struct names *names, struct why *why)
{
    if (2 * (names->n + 1) <= names->n_slots)
        return ERR_OK;
    size_t n_slots = names->n_slots ? 2 * names->n_slots : SLOTS_MIN;
    char **texts = realloc(names->texts, n_slots / 2 * sizeof *texts);
    if (texts)
        names->texts = texts;
    size_t *slots = calloc(n_slots, sizeof *slots);
    if (!texts || !slots) {
        free(slots);
        return err_set(why, ERR_NOMEM, "names");
    }
    free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    for (size_t i = 0; i < names->n; i++)
        slots[slot_of(names, names->texts[i])] = i + 1;
    return ERR_OK;
}

size_t names_find(const struct names *names, const char *text)
{
    if (!names->n)
        return SIZE_MAX;
    size_t at = names->slots[slot_of(names, text)];
    return at ? at - 1 : SIZE_MAX;
}

enum err names_put(struct names *names, const char *text, size_t *number,
                   bool *fresh, struct why *why)
{
    enum err e = grow(names, why);
    if (e)
        return e;
    size_t at = slot_of(names, text);
    if (fresh)
        *fresh = !names->slots[at];
    if (!names->slots[at]) {
        char *copy = strdup(text);
        if (!copy)
            return err_set(why, ERR_NOMEM, "names");
        names->texts[names->n++] = copy;
        names->slots[at] = names->n;
    }
    *number = names->slots[at] - 1;
    return ERR_OK;
}
