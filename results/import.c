#include "results/import.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/conclude.h"
#include "results/handle.h"
#include "results/rowsum.h"
#include "results/seal.h"

#define NOW "strftime('%Y-%m-%dT%H:%M:%SZ')"

/* Row ids and places that later rows refer to. */
struct import {
    struct db *db;
    const struct foreign *f;
    const struct import_words *words;
    int64_t experiment;
    int64_t *cells;    /* [cells.n] */
    int64_t *attempts; /* [n_trials] */
    size_t *iteration; /* [n_trials] from 0 */
    size_t *order;     /* [n_trials] trials as they are numbered */
    size_t n_iterations;
};

static enum err reserve(struct import *im, struct why *why)
{
    const struct foreign *f = im->f;
    im->cells = calloc(f->cells.n + 1, sizeof *im->cells);
    im->attempts = calloc(f->n_trials + 1, sizeof *im->attempts);
    im->iteration = calloc(f->n_trials + 1, sizeof *im->iteration);
    im->order = calloc(f->n_trials + 1, sizeof *im->order);
    return im->cells && im->attempts && im->iteration && im->order
               ? ERR_OK
               : err_set(why, ERR_NOMEM, "figures of others");
}

/* Every trial's iteration: its block's; behind these, for trials without one,
 * how many of its cell came before. Then their order, by counting. */
static enum err arrange(struct import *im, struct why *why)
{
    const struct foreign *f = im->f;
    size_t *before = calloc(f->cells.n + 1, sizeof *before), *at = NULL;
    if (!before)
        return err_set(why, ERR_NOMEM, "figures of others");
    im->n_iterations = f->blocks.n;
    for (size_t t = 0; t < f->n_trials; t++) {
        const struct foreign_trial *trial = &f->trials[t];
        im->iteration[t] = trial->block != SIZE_MAX
                               ? trial->block
                               : f->blocks.n + before[trial->cell]++;
        if (im->iteration[t] >= im->n_iterations)
            im->n_iterations = im->iteration[t] + 1;
    }
    free(before);
    at = calloc(im->n_iterations + 1, sizeof *at);
    if (!at)
        return err_set(why, ERR_NOMEM, "figures of others");
    for (size_t t = 0; t < f->n_trials; t++)
        at[im->iteration[t] + 1]++;
    for (size_t i = 0; i < im->n_iterations; i++)
        at[i + 1] += at[i];
    for (size_t t = 0; t < f->n_trials; t++)
        im->order[at[im->iteration[t]]++] = t;
    free(at);
    return ERR_OK;
}

/* A uuid that says what the content is: the same one is not taken twice. */
static void uuid_of(const char *sha256, char uuid[37])
{
    (void)snprintf(uuid, 37, "%.8s-%.4s-%.4s-%.4s-%.12s", sha256, sha256 + 8,
                   sha256 + 12, sha256 + 16, sha256 + 20);
}

static enum err refuse_twice(struct import *im, const char *uuid,
                             struct why *why)
{
    int64_t there = 0;
    enum err e = db_run(im->db, "select id from experiment where uuid = ?",
                        DB_VALUES(DB_T(uuid)), &there, why);
    if (e == ERR_NOTFOUND)
        return ERR_OK;
    return e ? e
             : err_set(why, ERR_EXISTS,
                       "%s: imported before, as experiment %lld",
                       im->words->file, (long long)there);
}

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

/* What is known of where it came from, in place of the file that would repeat
 * it. Names of files are quoted as JSON does. */
static char *origin(const struct import *im)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return NULL;
    (void)fprintf(out,
                  "{\"imported\":{\"form\":\"%s\",\"sha256\":\"%s\","
                  "\"file\":\"",
                  im->f->form, im->words->sha256);
    for (const char *p = im->words->file; *p; p++)
        if ((unsigned char)*p < 32 || *p == '"' || *p == '\\')
            (void)fprintf(out, "\\u%04x", (unsigned)(unsigned char)*p);
        else
            (void)fputc(*p, out);
    (void)fputs("\"}}", out);
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

const char *import_name(const struct foreign *foreign,
                        const struct import_words *words)
{
    const char *slash = strrchr(words->file, '/');
    if (words->name)
        return words->name;
    if (foreign->name)
        return foreign->name;
    return slash && slash[1] ? slash + 1 : words->file;
}

static enum err put_experiment(struct import *im, struct why *why)
{
    const struct foreign *f = im->f;
    char uuid[37];
    uuid_of(im->words->sha256, uuid);
    enum err e = refuse_twice(im, uuid, why);
    if (e)
        return e;
    char *json = origin(im);
    if (!json)
        return err_set(why, ERR_NOMEM, "figures of others");
    e = db_run(im->db,
               "insert into experiment (uuid, name, track, challenge, target, "
               "json, version, seed, order_kind, warmup_ns, measure_ns, "
               "iterations, state, started, ended, imported) values (?, ?, ?, "
               "?, ?, ?, ?, '0', 'imported', 0, 0, ?, ?, coalesce(?, " NOW
               "), " NOW ", ?) returning id",
               DB_VALUES(DB_T(uuid), DB_T(import_name(f, im->words)),
                         DB_T(or_dash(f->track)), DB_T(or_dash(f->challenge)),
                         DB_T(or_dash(f->target)), DB_T(json),
                         DB_T(im->words->version), DB_I(im->n_iterations),
                         DB_T(f->died ? "failed" : "finished"),
                         DB_T(f->started), DB_T(f->form)),
               &im->experiment, why);
    free(json);
    if (!e && f->note)
        e = db_run(im->db, "insert into note (experiment, text) values (?, ?)",
                   DB_VALUES(DB_I(im->experiment), DB_T(f->note)), NULL, why);
    return e;
}

static enum err put_tag(struct import *im, const char *tag, struct why *why)
{
    const char *equals = strchr(tag, '=');
    if (!equals || equals == tag)
        return err_set(why, ERR_INVALID, "tag \"%.80s\" is not name=value",
                       tag);
    char *name = strndup(tag, (size_t)(equals - tag));
    if (!name)
        return err_set(why, ERR_NOMEM, "tag");
    enum err e =
        db_run(im->db,
               "insert or replace into tag (experiment, name, value) "
               "values (?, ?, ?)",
               DB_VALUES(DB_I(im->experiment), DB_T(name), DB_T(equals + 1)),
               NULL, why);
    free(name);
    return e;
}

static enum err put_tags(struct import *im, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < im->f->tags.n; i++)
        e = put_tag(im, im->f->tags.texts[i], why);
    for (size_t i = 0; !e && i < im->words->n_tags; i++)
        e = put_tag(im, im->words->tags[i], why);
    return e;
}

static enum err put_factors(struct import *im, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < im->f->n_factors; i++) {
        const struct foreign_factor *factor = &im->f->factors[i];
        int64_t id = 0;
        e = db_run(im->db,
                   "insert into factor (experiment, position, name, kind) "
                   "values (?, ?, ?, 'imported') returning id",
                   DB_VALUES(DB_I(im->experiment), DB_I(i), DB_T(factor->name)),
                   &id, why);
        for (size_t l = 0; !e && l < factor->levels.n; l++)
            e = db_run(
                im->db,
                "insert into level (factor, position, label, value) "
                "values (?1, ?2, ?3, ?3)",
                DB_VALUES(DB_I(id), DB_I(l), DB_T(factor->levels.texts[l])),
                NULL, why);
    }
    return e;
}

/* As a plan labels its cells: by the factors that have several levels. */
static char *label_of(const struct foreign *f, size_t cell)
{
    char *text = NULL;
    size_t len = 0, n = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return NULL;
    for (size_t i = 0; i < f->n_factors; i++) {
        const struct foreign_factor *factor = &f->factors[i];
        uint32_t level = f->levels[cell * f->n_factors + i];
        if (factor->levels.n > 1)
            (void)fprintf(out, "%s%s=%s", n++ ? "," : "", factor->name,
                          factor->levels.texts[level]);
    }
    if (!n)
        (void)fputs("base", out);
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

static enum err put_cell(struct import *im, size_t c, struct why *why)
{
    const struct foreign *f = im->f;
    char *label = label_of(f, c);
    if (!label)
        return err_set(why, ERR_NOMEM, "figures of others");
    enum err e = db_run(im->db,
                        "insert into cell (experiment, position, label, "
                        "purpose) values (?, ?, ?, 'measure') returning id",
                        DB_VALUES(DB_I(im->experiment), DB_I(c), DB_T(label)),
                        &im->cells[c], why);
    free(label);
    for (size_t i = 0; !e && i < f->n_factors; i++)
        e = db_run(im->db,
                   "insert into cell_level (cell, factor, level) select ?, "
                   "f.id, l.id from factor f join level l on l.factor = f.id "
                   "where f.experiment = ? and f.position = ? and l.position "
                   "= ?",
                   DB_VALUES(DB_I(im->cells[c]), DB_I(im->experiment), DB_I(i),
                             DB_I(f->levels[c * f->n_factors + i])),
                   NULL, why);
    return e;
}

static enum err put_invalid(struct import *im, size_t t, struct why *why)
{
    const char *p = im->f->rules.texts[im->f->trials[t].invalid];
    enum err e = ERR_OK;
    while (!e && *(p += strspn(p, ", "))) {
        char rule[FOREIGN_TEXT_MAX + 1];
        size_t len = strcspn(p, ",");
        (void)snprintf(rule, sizeof rule, "%.*s", (int)len, p);
        e = conclude_invalid(im->db, im->attempts[t], rule, "as imported", why);
        p += len;
    }
    return e;
}

static enum err put_trial(struct import *im, int64_t block, size_t tid,
                          size_t position, struct why *why)
{
    size_t t = im->order[tid - 1];
    const struct foreign_trial *trial = &im->f->trials[t];
    bool measured =
        trial->outcome == OUTCOME_OK || trial->outcome == OUTCOME_OOM;
    int64_t id = 0;
    enum err e = db_run(
        im->db,
        "insert into trial (experiment, tid, cell, iteration, block, "
        "position) values (?, ?, ?, ?, ?, ?) returning id",
        DB_VALUES(DB_I(im->experiment), DB_I(tid), DB_I(im->cells[trial->cell]),
                  DB_I(im->iteration[t] + 1), DB_I(block), DB_I(position)),
        &id, why);
    if (!e)
        e = db_run(im->db,
                   "insert into attempt (trial, n, state, outcome, partial) "
                   "values (?, 1, 'stored', ?, ?) returning id",
                   DB_VALUES(DB_I(id), DB_T(outcome_name(trial->outcome)),
                             DB_I(trial->outcome == OUTCOME_OOM)),
                   &im->attempts[t], why);
    if (!e)
        e = seal_attempt(im->db, im->attempts[t], why);
    if (!e && measured)
        e = db_run(im->db, "update trial set attempt = ? where id = ?",
                   DB_VALUES(DB_I(im->attempts[t]), DB_I(id)), NULL, why);
    return e ? e : put_invalid(im, t, why);
}

static enum err put_trials(struct import *im, struct why *why)
{
    int64_t bench = 0, block = 0;
    size_t tid = 0;
    enum err e =
        db_run(im->db, "insert or ignore into bench (name) values ('imported')",
               DB_NONE, NULL, why);
    if (!e)
        e = db_run(im->db, "select id from bench where name = 'imported'",
                   DB_NONE, &bench, why);
    for (size_t i = 0; !e && i < im->n_iterations; i++) {
        e = db_run(im->db,
                   "insert into block (experiment, iteration, bench, paired) "
                   "values (?, ?, ?, ?) returning id",
                   DB_VALUES(DB_I(im->experiment), DB_I(i + 1), DB_I(bench),
                             DB_I(i < im->f->blocks.n)),
                   &block, why);
        for (size_t p = 1;
             !e && tid < im->f->n_trials && im->iteration[im->order[tid]] == i;
             p++)
            e = put_trial(im, block, ++tid, p, why);
    }
    return e;
}

static enum err put_values(struct import *im, struct why *why)
{
    static const char *const names[] = {"attempt", "name", "task", "source",
                                        "value"};
    const struct foreign *f = im->f;
    struct db_stmt *insert = NULL;
    enum err e = db_prepare(im->db, &insert,
                            "insert into metric (attempt, name, task, source, "
                            "value, crc) values (?, ?, ?, ?, ?, ?)",
                            DB_NONE, why);
    for (size_t i = 0; !e && i < f->n_values; i++) {
        const struct foreign_value *v = &f->values[i];
        struct db_value row[6] = {
            DB_I(im->attempts[v->trial]), DB_T(f->metrics.texts[v->metric]),
            DB_T(f->tasks.texts[v->task]), DB_T(f->form), DB_F(v->value)};
        uint32_t sum = 0;
        bool any = false;
        for (size_t c = 0; c < 5; c++)
            sum = rowsum_add(sum, names[c], &row[c]);
        row[5] = DB_I(sum);
        db_bind(insert, row, 6);
        e = db_step(insert, &any, why);
    }
    db_finish(insert);
    return e;
}

static enum err put(struct import *im, struct why *why)
{
    enum err e = put_experiment(im, why);
    if (!e)
        e = put_tags(im, why);
    if (!e)
        e = put_factors(im, why);
    for (size_t c = 0; !e && c < im->f->cells.n; c++)
        e = put_cell(im, c, why);
    if (!e)
        e = put_trials(im, why);
    return e ? e : put_values(im, why);
}

enum err import_store(struct store *store, const struct foreign *foreign,
                      const struct import_words *words, int64_t *id,
                      struct why *why)
{
    assert(store->mode == STORE_WRITE);
    struct import im = {.db = store->db, .f = foreign, .words = words};
    enum err e = reserve(&im, why);
    if (!e)
        e = arrange(&im, why);
    if (e)
        goto out;
    e = db_begin(store->db, true, why);
    if (e)
        goto out;
    e = db_end(store->db, put(&im, why), why);
    if (!e) {
        *id = im.experiment;
        store_settle(store);
    }
out:
    free(im.cells);
    free(im.attempts);
    free(im.iteration);
    free(im.order);
    return e;
}

enum err import_form(struct db *db, int64_t experiment, char *buf, size_t size,
                     struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    buf[0] = '\0';
    enum err e =
        db_prepare(db, &stmt, "select imported from experiment where id = ?",
                   DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && !row)
        e = err_set(why, ERR_NOTFOUND, "there is no experiment %lld",
                    (long long)experiment);
    if (!e && db_column(stmt, 0).type == DB_TEXT)
        (void)snprintf(buf, size, "%s", (const char *)db_column(stmt, 0).data);
    db_finish(stmt);
    return e;
}
