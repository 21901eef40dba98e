#include "results/foreign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_MAX 8192u
#define KEY_MAX   (LABEL_MAX + 4 * FOREIGN_TEXT_MAX)

void foreign_init(struct foreign *foreign, const char *form)
{
    *foreign = (struct foreign){.form = form};
}

void foreign_fini(struct foreign *f)
{
    struct names *const all[] = {&f->cells,      &f->blocks,  &f->metrics,
                                 &f->tasks,      &f->rules,   &f->trial_keys,
                                 &f->value_keys, &f->counted, &f->tags};
    char *const texts[] = {f->name,   f->track,   f->challenge,
                           f->target, f->started, f->note};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        names_fini(all[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; i < f->n_factors; i++) {
        free(f->factors[i].name);
        names_fini(&f->factors[i].levels);
    }
    free(f->levels);
    free(f->counts);
    free(f->trials);
    free(f->values);
    *f = (struct foreign){.form = f->form};
}

static enum err nomem(struct why *why)
{
    return err_set(why, ERR_NOMEM, "figures of others");
}

enum err foreign_text(char **at, const char *text, struct why *why)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return nomem(why);
    free(*at);
    *at = copy;
    return ERR_OK;
}

/* Room for one more of size bytes each: at every power of two it doubles. */
static enum err room(void *array, size_t n, size_t size, struct why *why)
{
    void **at = array;
    if (n & (n - 1))
        return ERR_OK;
    void *grown = realloc(*at, (n ? 2 * n : 1) * size);
    if (!grown)
        return nomem(why);
    *at = grown;
    return ERR_OK;
}

static bool is_name(const char *name, const char *beside)
{
    size_t n = 0;
    for (const char *p = name; *p; p++, n++)
        if (!(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z') &&
            !(*p >= '0' && *p <= '9') && !strchr(beside, *p))
            return false;
    return n && n <= 64;
}

enum err foreign_factor(struct foreign *f, const char *name, struct why *why)
{
    if (!is_name(name, "_.-"))
        return err_set(why, ERR_INVALID,
                       "factor \"%.70s\": a name has 1 to 64 letters, digits "
                       "and _ . -",
                       name);
    for (size_t i = 0; i < f->n_factors; i++)
        if (!strcmp(f->factors[i].name, name))
            return err_set(why, ERR_EXISTS, "factor \"%s\" twice", name);
    if (f->n_factors == FOREIGN_FACTORS_MAX)
        return err_set(why, ERR_RANGE, "factor \"%s\": there are %u already",
                       name, FOREIGN_FACTORS_MAX);
    struct foreign_factor *factor = &f->factors[f->n_factors];
    *factor = (struct foreign_factor){.name = NULL};
    enum err e = foreign_text(&factor->name, name, why);
    f->n_factors += !e;
    return e;
}

static enum err check_text(const char *column, const char *text,
                           struct why *why)
{
    if (strlen(text) > FOREIGN_TEXT_MAX)
        return err_set(why, ERR_RANGE,
                       "%s \"%.40s...\" has %zu bytes, at most %u", column,
                       text, strlen(text), FOREIGN_TEXT_MAX);
    return ERR_OK;
}

/* The cell of these levels, its label made as a plan makes it. */
static enum err cell_of(struct foreign *f, const char *const *levels,
                        size_t *cell, struct why *why)
{
    char label[LABEL_MAX] = "";
    uint32_t numbers[FOREIGN_FACTORS_MAX];
    size_t used = 0;
    bool fresh = false;
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < f->n_factors; i++) {
        size_t level = 0;
        struct foreign_factor *factor = &f->factors[i];
        if (!*levels[i])
            return err_set(why, ERR_INVALID, "%s: a level is missing",
                           factor->name);
        e = check_text(factor->name, levels[i], why);
        if (!e)
            e = names_put(&factor->levels, levels[i], &level, NULL, why);
        if (!e && factor->levels.n > FOREIGN_LEVELS_MAX)
            e = err_set(why, ERR_RANGE, "%s: more than %u levels", factor->name,
                        FOREIGN_LEVELS_MAX);
        numbers[i] = (uint32_t)level;
        if (!e)
            used +=
                (size_t)snprintf(label + used, sizeof label - used, "%s%s=%s",
                                 i ? "," : "", factor->name, levels[i]);
        if (!e && used >= sizeof label)
            e = err_set(why, ERR_RANGE, "the levels have more than %u bytes",
                        LABEL_MAX);
    }
    if (!e)
        e = names_put(&f->cells, label, cell, &fresh, why);
    if (e || !fresh || !f->n_factors)
        return e;
    uint32_t *grown =
        realloc(f->levels, f->cells.n * f->n_factors * sizeof *grown);
    if (!grown)
        return nomem(why);
    f->levels = grown;
    memcpy(&grown[*cell * f->n_factors], numbers,
           f->n_factors * sizeof *numbers);
    return ERR_OK;
}

/* Which of the cell's trials without a block a row is of: the n-th of its
 * metric; a row without metric is a trial of its own. */
static enum err count(struct foreign *f, const struct foreign_row *row,
                      size_t cell, size_t *n, struct why *why)
{
    char key[KEY_MAX];
    size_t at = 0;
    bool fresh = false;
    (void)snprintf(key, sizeof key, "%zu\t%s\t%s\t%s\t%s", cell,
                   outcome_name(row->outcome), row->invalid, row->task,
                   row->metric);
    enum err e = names_put(&f->counted, key, &at, &fresh, why);
    if (!e && fresh) {
        e = room(&f->counts, f->counted.n - 1, sizeof *f->counts, why);
        if (!e)
            f->counts[at] = 0;
    }
    if (!e)
        *n = f->counts[at]++;
    return e;
}

static enum err add_trial(struct foreign *f, const struct foreign_trial *trial,
                          struct why *why)
{
    if (f->n_trials == FOREIGN_TRIALS_MAX)
        return err_set(why, ERR_RANGE, "more than %u trials",
                       FOREIGN_TRIALS_MAX);
    enum err e = room(&f->trials, f->n_trials, sizeof *f->trials, why);
    if (!e)
        f->trials[f->n_trials++] = *trial;
    return e;
}

static enum err trial_of(struct foreign *f, const struct foreign_row *row,
                         size_t *trial, struct why *why)
{
    char key[KEY_MAX];
    bool fresh = false;
    struct foreign_trial t = {.block = SIZE_MAX, .outcome = row->outcome};
    enum err e = cell_of(f, row->levels, &t.cell, why);
    if (!e)
        e = names_put(&f->rules, row->invalid, &t.invalid, NULL, why);
    if (!e && *row->block)
        e = names_put(&f->blocks, row->block, &t.block, NULL, why);
    else if (!e)
        e = count(f, row, t.cell, &t.n, why);
    if (e)
        return e;
    if (*row->block)
        (void)snprintf(key, sizeof key, "%zu\t%zu", t.cell, t.block);
    else
        (void)snprintf(key, sizeof key, "%zu\t-%zu\t%s\t%zu%s", t.cell, t.n,
                       outcome_name(t.outcome), t.invalid,
                       *row->metric ? "" : "\talone");
    e = names_put(&f->trial_keys, key, trial, &fresh, why);
    if (e)
        return e;
    if (fresh)
        return add_trial(f, &t, why);
    const struct foreign_trial *there = &f->trials[*trial];
    if (there->outcome != t.outcome || there->invalid != t.invalid)
        return err_set(
            why, ERR_EXISTS,
            "outcome %s (%s), of the same trial it was %s (%s) "
            "before",
            outcome_name(t.outcome), *row->invalid ? row->invalid : "valid",
            outcome_name(there->outcome),
            *f->rules.texts[there->invalid] ? f->rules.texts[there->invalid]
                                            : "valid");
    return ERR_OK;
}

static enum err check_row(const struct foreign_row *row, struct why *why)
{
    enum err e = check_text("block", row->block, why);
    if (!e)
        e = check_text("task", row->task, why);
    if (!e)
        e = check_text("invalid", row->invalid, why);
    if (!e && *row->metric && !is_name(row->metric, "_.-"))
        e = err_set(why, ERR_INVALID,
                    "metric \"%.70s\": a name has 1 to 64 letters, digits and "
                    "_ . - (`pitwall metrics` has those that are known)",
                    row->metric);
    if (!e && *row->metric && !isfinite(row->value))
        e = err_set(why, ERR_INVALID, "value %g: a finite number is accepted",
                    row->value);
    return e;
}

enum err foreign_add(struct foreign *f, const struct foreign_row *row,
                     struct why *why)
{
    char key[128];
    bool fresh = false;
    size_t unused = 0;
    struct foreign_value v = {.value = row->value};
    enum err e = check_row(row, why);
    if (!e)
        e = trial_of(f, row, &v.trial, why);
    if (e || !*row->metric)
        return e;
    e = names_put(&f->metrics, row->metric, &v.metric, NULL, why);
    if (!e)
        e = names_put(&f->tasks, row->task, &v.task, NULL, why);
    (void)snprintf(key, sizeof key, "%zu\t%zu\t%zu", v.trial, v.task, v.metric);
    if (!e)
        e = names_put(&f->value_keys, key, &unused, &fresh, why);
    if (!e && !fresh)
        e = err_set(why, ERR_EXISTS,
                    "a second value of %s for block \"%s\" and cell %.200s",
                    row->metric, row->block,
                    f->cells.texts[f->trials[v.trial].cell]);
    if (!e && f->n_values == FOREIGN_VALUES_MAX)
        e = err_set(why, ERR_RANGE, "more than %u values", FOREIGN_VALUES_MAX);
    if (!e)
        e = room(&f->values, f->n_values, sizeof *f->values, why);
    if (!e)
        f->values[f->n_values++] = v;
    return e;
}
