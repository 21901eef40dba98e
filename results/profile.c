#include "results/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/artifact.h"
#include "results/flame.h"

#define TITLE_BYTES 1024

struct profile {
    struct db *db;
    int64_t attempt;
    char side[16];
    struct flame_stack *stacks; /* [n], texts are ours */
    size_t n, room;
};

static void forget(struct profile *p)
{
    for (size_t i = 0; i < p->n; i++)
        free((char *)(uintptr_t)p->stacks[i].text);
    p->n = 0;
}

static enum err keep(struct profile *p, const char *text, uint64_t samples,
                     struct why *why)
{
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 256;
        struct flame_stack *grown = realloc(p->stacks, room * sizeof *grown);
        if (!grown)
            return err_set(why, ERR_NOMEM, "%zu stacks", room);
        p->stacks = grown;
        p->room = room;
    }
    char *copy = strdup(text);
    if (!copy)
        return err_set(why, ERR_NOMEM, "a stack");
    p->stacks[p->n++] = (struct flame_stack){copy, samples};
    return ERR_OK;
}

static enum err put_folded(const struct profile *p, struct why *why)
{
    char *text = NULL, name[48], line[32];
    size_t len = 0, used = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return err_set(why, ERR_NOMEM, "folded stacks");
    for (size_t i = 0; i < p->n; i++) {
        int n = snprintf(line, sizeof line, " %llu\n",
                         (unsigned long long)p->stacks[i].samples);
        used += strlen(p->stacks[i].text) + (size_t)n;
        if (used > PROFILE_FOLDED_MAX)
            break;
        (void)fprintf(out, "%s%s", p->stacks[i].text, line);
    }
    (void)snprintf(name, sizeof name, "stacks-%s.folded", p->side);
    enum err e = fclose(out)
                     ? err_set(why, ERR_NOMEM, "folded stacks")
                     : artifact_add(p->db, p->attempt, name, text, len, why);
    free(text);
    return e;
}

/* "headers 1:2, heap=1g, side target". */
static enum err make_title(const struct profile *p, char title[TITLE_BYTES],
                           struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    title[0] = '\0';
    enum err e = db_prepare(
        p->db, &stmt,
        "select e.name || ' ' || e.id || ':' || t.tid || ', ' || c.label "
        "from attempt a join trial t on t.id = a.trial join cell c on "
        "c.id = t.cell join experiment e on e.id = t.experiment where a.id = ?",
        DB_VALUES(DB_I(p->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row && db_column(stmt, 0).type == DB_TEXT)
        (void)snprintf(title, TITLE_BYTES, "%.900s, side %s",
                       (const char *)db_column(stmt, 0).data, p->side);
    db_finish(stmt);
    return e;
}

static enum err put_flame(const struct profile *p, struct why *why)
{
    char title[TITLE_BYTES], name[48];
    size_t len = 0;
    enum err e = make_title(p, title, why);
    if (e)
        return e;
    char *svg = flame_draw(p->stacks, p->n, title, &len);
    (void)snprintf(name, sizeof name, "flame-%s.svg", p->side);
    e = svg ? artifact_add(p->db, p->attempt, name, svg, len, why)
            : err_set(why, ERR_NOMEM, "flame graph");
    free(svg);
    return e;
}

/* Drawing sorts the stacks anew. */
static enum err end_side(struct profile *p, struct why *why)
{
    enum err e = p->n ? put_folded(p, why) : ERR_OK;
    if (!e && p->n)
        e = put_flame(p, why);
    forget(p);
    return e;
}

/* stmt stands on a row: side, stack, samples. */
static enum err take(struct profile *p, struct db_stmt *stmt, struct why *why)
{
    struct db_value side = db_column(stmt, 0), stack = db_column(stmt, 1);
    struct db_value samples = db_column(stmt, 2);
    enum err e = ERR_OK;
    if (side.type != DB_TEXT || stack.type != DB_TEXT)
        return err_set(why, ERR_CORRUPT, "a stack without a text");
    if (strcmp(p->side, side.data) != 0)
        e = end_side(p, why);
    (void)snprintf(p->side, sizeof p->side, "%.15s", (const char *)side.data);
    return e ? e : keep(p, stack.data, (uint64_t)samples.i, why);
}

enum err profile_add(struct db *db, int64_t attempt, struct why *why)
{
    struct profile p = {.db = db, .attempt = attempt};
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select side, stack, samples from stack where "
                            "attempt = ? order by side, samples desc, stack",
                            DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        e = take(&p, stmt, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    if (!e)
        e = end_side(&p, why);
    forget(&p);
    free(p.stacks);
    return e;
}
