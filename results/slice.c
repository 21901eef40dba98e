#include "results/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_BYTES 256

void slice_fini(struct slice *s)
{
    for (size_t f = 0; s->levels && f < s->n_factors; f++)
        free(s->levels[f]);
    free(s->levels);
    *s = (struct slice){.levels = NULL};
}

/* One "factor=level" of len bytes. */
static enum err term(struct slice *s, const struct matrix *m, const char *text,
                     size_t len, struct why *why)
{
    char level[LEVEL_BYTES];
    const char *equals = memchr(text, '=', len);
    if (!equals)
        return err_set(why, ERR_USAGE, "\"%.*s\" is not factor=level", (int)len,
                       text);
    size_t name_len = (size_t)(equals - text);
    size_t f = matrix_factor_find(m, text, name_len);
    if (f == SIZE_MAX)
        return matrix_no_factor(m, text, name_len, why);
    const struct matrix_factor *factor = &m->factors[f];
    (void)snprintf(level, sizeof level, "%.*s", (int)(len - name_len - 1),
                   equals + 1);
    size_t l = matrix_level_find(factor, level);
    if (l == SIZE_MAX)
        return matrix_no_level(factor, level, why);
    if (!s->levels[f])
        s->levels[f] = calloc(factor->n_levels, sizeof **s->levels);
    if (!s->levels[f])
        return err_set(why, ERR_NOMEM, "slice");
    s->levels[f][l] = true;
    return ERR_OK;
}

enum err slice_parse(struct slice *out, const struct matrix *m,
                     const char *terms, struct why *why)
{
    *out =
        (struct slice){.levels = calloc(m->n_factors + 1, sizeof *out->levels),
                       .n_factors = m->n_factors};
    enum err e = out->levels ? ERR_OK : err_set(why, ERR_NOMEM, "slice");
    while (!e && terms && *terms) {
        size_t len = strcspn(terms, ",");
        e = term(out, m, terms, len, why);
        terms += len + (terms[len] == ',');
    }
    if (e)
        slice_fini(out);
    return e;
}

bool slice_wants(const struct slice *s, size_t factor, size_t level)
{
    return !s->levels[factor] || s->levels[factor][level];
}

bool slice_has(const struct slice *s, const struct matrix_cell *cell)
{
    bool has = cell->purpose == PURPOSE_MEASURE;
    for (size_t f = 0; has && f < s->n_factors; f++)
        has = slice_wants(s, f, cell->levels[f]);
    return has;
}

enum err slice_split(const char *text, char id[SLICE_ID_MAX + 1],
                     const char **terms, struct why *why)
{
    size_t len = strcspn(text, ":");
    if (len > SLICE_ID_MAX)
        return err_set(why, ERR_USAGE,
                       "\"%.40s...\": an experiment's id or name is at most "
                       "%u bytes",
                       text, SLICE_ID_MAX);
    memcpy(id, text, len);
    id[len] = '\0';
    *terms = text + len + (text[len] == ':');
    return ERR_OK;
}
