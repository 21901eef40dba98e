#include "agent/executor/target_value.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/target_make.h"
#include "common/units.h"

#define FILE_MAX (64u << 10)

/* What is mapped ------------------------------------------------------------
 */

static const struct jv *mapping_of(const struct target_def *def,
                                   const char *factor)
{
    return jv_get(jv_get(def->doc, "factors"), factor);
}

bool target_maps_factor(const struct target_def *def, const char *name)
{
    if (def->contract)
        return !strcmp(name, "heap") || !strcmp(name, "predictor") ||
               !strncmp(name, "target.", 7);
    return mapping_of(def, name) != NULL;
}

/* "bytes", "count", "on|off" as "is" says; else "bytes" where the arguments
 * ask for a size, or "" for any text. */
static void form_of(const struct jv *mapping, char *buf, size_t size)
{
    const struct jv *is = jv_get(mapping, "is");
    const struct jv *argv =
        jv_type(mapping) == JV_OBJECT ? jv_get(mapping, "argv") : mapping;
    size_t used = 0;
    (void)snprintf(buf, size, "%s", jv_text(is, ""));
    for (size_t i = 0; jv_type(is) == JV_ARRAY && i < jv_size(is); i++)
        used +=
            (size_t)snprintf(buf + used, used < size ? size - used : 0, "%s%s",
                             i ? "|" : "", jv_text(jv_at(is, i), ""));
    for (size_t i = 0; !is && i < jv_size(argv); i++) {
        const char *text = jv_text(jv_at(argv, i), "");
        if (strstr(text, "{{bytes}}") || strstr(text, "{{kb}}") ||
            strstr(text, "{{mb}}"))
            (void)snprintf(buf, size, "bytes");
    }
}

bool target_factor(const struct target_def *def, size_t i, char *name,
                   size_t name_size, char *form, size_t form_size)
{
    static const char *const all[] = {"heap", "predictor", "target.*"};
    const char *key = NULL;
    form[0] = '\0';
    if (def->contract) {
        if (i >= sizeof all / sizeof *all)
            return false;
        (void)snprintf(name, name_size, "%s", all[i]);
        return true;
    }
    const struct jv *factors = jv_get(def->doc, "factors");
    if (i >= jv_size(factors))
        return false;
    const struct jv *v = jv_member(factors, i, &key);
    (void)snprintf(name, name_size, "%s", key);
    if (!strncmp(key, "target.", 7))
        form_of(v, form, form_size);
    return true;
}

/* Values --------------------------------------------------------------------
 */

/* The line "NAME=..." of target.NAME in the spec's list; its value's length to
 * *len, NULL: none. */
static const char *given(const struct trial_spec *spec, const char *factor,
                         size_t *len)
{
    const char *name = factor + strlen("target.");
    size_t n = strlen(name);
    for (const char *line = spec->target_params; *line;) {
        *len = strcspn(line, "\n");
        if (*len > n && line[n] == '=' && !strncmp(line, name, n)) {
            *len -= n + 1;
            return line + n + 1;
        }
        line += *len + (line[*len] == '\n');
    }
    return NULL;
}

static const char *default_of(const struct target_def *def, const char *factor)
{
    return jv_text(jv_get(mapping_of(def, factor), "default"), NULL);
}

bool target_has_value(const struct target_def *def, const char *factor)
{
    return !strcmp(factor, "heap") || !strcmp(factor, "predictor") ||
           default_of(def, factor);
}

bool target_value_given(const struct target_def *def,
                        const struct trial_spec *spec, const char *factor)
{
    size_t len;
    if (!strcmp(factor, "heap"))
        return spec->heap_bytes > 0;
    if (!strcmp(factor, "predictor"))
        return spec->predictor[0] != '\0';
    return given(spec, factor, &len) || default_of(def, factor);
}

bool target_value_unit(const char *factor, const char *unit)
{
    static const char *const units[] = {"value", "bytes",   "kb", "mb",
                                        "min",   "initial", "max"};
    size_t n = !strcmp(factor, "predictor") ? 7 : 4;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(unit, units[i]))
            return true;
    return false;
}

/* The factor's text as it was given. */
static enum err text_of(const struct target_def *def,
                        const struct trial_spec *spec, const char *factor,
                        char *buf, size_t size, struct why *why)
{
    size_t len = 0;
    if (!strcmp(factor, "heap")) {
        (void)snprintf(buf, size, "%" PRIu64, spec->heap_bytes);
        return ERR_OK;
    }
    const char *text = !strcmp(factor, "predictor") ? spec->predictor
                                                    : given(spec, factor, &len);
    if (text == spec->predictor)
        len = strlen(text);
    else if (!text && (text = default_of(def, factor)))
        len = strlen(text);
    if (!text || len >= size)
        return err_set(why, ERR_INVALID, "%s has no value here", factor);
    memcpy(buf, text, len);
    buf[len] = '\0';
    return ERR_OK;
}

/* A part of a predictor, "fixed:64k" or "adaptive:1k-2k-512k", as a size; one
 * of two numbers begins with the smallest. */
static enum err predicted(const char *text, const char *unit, char *buf,
                          size_t size, struct why *why)
{
    char parts[48];
    bool fixed = !strncmp(text, "fixed:", 6), ends = !strcmp(unit, "max");
    const char *colon = strchr(text, ':');
    (void)snprintf(parts, sizeof parts, "%s", colon ? colon + 1 : "");
    if (!fixed && !strcmp(unit, "bytes"))
        return err_set(why, ERR_INVALID,
                       "predictor %s: this target takes fixed ones only", text);
    char *dash = strchr(parts, '-'), *last = strrchr(parts, '-');
    const char *from = parts;
    if (ends && last)
        from = last + 1;
    else if (!strcmp(unit, "initial") && dash && dash != last)
        from = dash + 1;
    (void)snprintf(buf, size, "%.*s", (int)strcspn(from, "-"), from);
    return ERR_OK;
}

static enum err in_unit(const char *factor, const char *text, const char *unit,
                        char *buf, size_t size, struct why *why)
{
    uint64_t bytes = 0, divisor = 1;
    enum err e = units_bytes(text, &bytes, why);
    if (e)
        return err_wrap(why, e, "%s", factor);
    divisor = !strcmp(unit, "kb")   ? 1u << 10
              : !strcmp(unit, "mb") ? 1u << 20
                                    : 1;
    if (bytes % divisor)
        return err_set(why, ERR_INVALID,
                       "%s=%s: this target takes whole %s, of %" PRIu64
                       " bytes each",
                       factor, text, unit, divisor);
    (void)snprintf(buf, size, "%" PRIu64, bytes / divisor);
    return ERR_OK;
}

enum err target_value(const struct target_def *def,
                      const struct trial_spec *spec, const char *factor,
                      const char *unit, char buf[TEMPLATE_VALUE_MAX],
                      struct why *why)
{
    char text[256], part[64];
    enum err e = text_of(def, spec, factor, text, sizeof text, why);
    if (e)
        return e;
    if (!strcmp(unit, "value")) {
        (void)snprintf(buf, TEMPLATE_VALUE_MAX, "%s", text);
        return ERR_OK;
    }
    if (strcmp(factor, "predictor") != 0)
        return in_unit(factor, text, unit, buf, TEMPLATE_VALUE_MAX, why);
    bool whole = !strcmp(unit, "kb") || !strcmp(unit, "mb");
    e = predicted(text, whole ? "bytes" : unit, part, sizeof part, why);
    return e ? e
             : in_unit(factor, part, whole ? unit : "bytes", buf,
                       TEMPLATE_VALUE_MAX, why);
}

/* Checks --------------------------------------------------------------------
 */

static bool among(const char *words, const char *value, size_t len)
{
    while (*words) {
        size_t n = strcspn(words, "|");
        if (n == len && !strncmp(words, value, n))
            return true;
        words += n + (words[n] == '|');
    }
    return false;
}

static enum err check_form(const char *factor, const char *form,
                           const char *value, size_t len, struct why *why)
{
    char text[256];
    uint64_t n = 0;
    enum err e = ERR_OK;
    (void)snprintf(text, sizeof text, "%.*s", (int)len, value);
    if (!strcmp(form, "bytes"))
        e = units_bytes(text, &n, why);
    else if (!strcmp(form, "count"))
        e = units_u64(text, UINT64_MAX, &n, why);
    else if (form[0] && !among(form, value, len))
        e = err_set(why, ERR_INVALID, "\"%.60s\" is not one of %s", text, form);
    return e ? err_wrap(why, e, "%s", factor) : ERR_OK;
}

enum err target_value_check(const struct target_def *def,
                            const struct trial_spec *spec, struct why *why)
{
    for (const char *line = spec->target_params; *line;) {
        char factor[80], form[160];
        size_t len = strcspn(line, "\n"), name = strcspn(line, "=\n");
        (void)snprintf(factor, sizeof factor, "target.%.*s",
                       (int)(name < 64 ? name : 64), line);
        const struct jv *mapping = mapping_of(def, factor);
        if (!mapping || name >= len)
            return err_set(why, ERR_UNSUPPORTED,
                           "it does not map the factor %s", factor);
        form_of(mapping, form, sizeof form);
        enum err e =
            check_form(factor, form, line + name + 1, len - name - 1, why);
        if (e)
            return e;
        line += len + (line[len] == '\n');
    }
    return ERR_OK;
}

enum err target_value_file(const struct target_def *def, const char *name,
                           char **out, struct why *why)
{
    char path[PATH_MAX + 300];
    size_t len = 0;
    ssize_t n = 0;
    (void)snprintf(path, sizeof path, "%s/%s", def->folder, name);
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_errno(why, errno, "%s", path);
    char *text = malloc(FILE_MAX + 1);
    while (text && len <= FILE_MAX &&
           (n = read(fd, text + len, FILE_MAX + 1 - len)) > 0)
        len += (size_t)n;
    int saved = errno;
    (void)close(fd);
    enum err e = ERR_OK;
    if (!text)
        e = err_set(why, ERR_NOMEM, "%s", path);
    else if (n < 0)
        e = err_errno(why, saved, "%s", path);
    else if (len > FILE_MAX || memchr(text, '\0', len))
        e = err_set(why, ERR_INVALID,
                    "%s: accepted is a text of at most %u bytes", path,
                    FILE_MAX);
    if (e) {
        free(text);
        return e;
    }
    text[len] = '\0';
    *out = text;
    return ERR_OK;
}
