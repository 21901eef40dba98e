#include "tests/bench/fidelity/reading.h"

#include <stdio.h>
#include <string.h>

#include "common/json.h"

/* Name in the target's final record and in struct heap_stats. */
#define HEAP(X)                                                                \
    X(eden_bytes)                                                              \
    X(survivor_bytes)                                                          \
    X(old_bytes)                                                               \
    X(outside_bytes)                                                           \
    X(outside_max_bytes)                                                       \
    X(tlab_bytes)                                                              \
    X(tlab_count)                                                              \
    X(young_count)                                                             \
    X(old_count)

const char *reading_sql(void)
{
#define X(name) ", json_extract(f.text, '$.heap." #name "') as " #name
    return "select a.outcome as outcome, coalesce(a.error, '') as error, "
           "coalesce((select group_concat(rule || ': ' || evidence, '; ') "
           "from invalid i where i.attempt = a.id), '') as invalid, "
           "json_extract(f.text, '$.window.read_bytes') as read_bytes, "
           "json_extract(f.text, '$.window.buffer_bytes') as buffer_bytes" HEAP(
               X) " from attempt a left join (select attempt, "
                  "cast(content as text) as text from artifact "
                  "where name = 'target-final.json') f on f.attempt = a.id "
                  "order by a.id desc limit 1";
#undef X
}

static enum err take_row(const struct jv *row, struct result *out,
                         struct why *why)
{
    const char *outcome = jv_text(jv_get(row, "outcome"), "");
    bool oom = !strcmp(outcome, "oom");
    if (!oom && strcmp(outcome, "ok") != 0)
        return err_set(why, ERR_CHILD, "the trial %s: %s",
                       *outcome ? outcome : "has no outcome",
                       jv_text(jv_get(row, "error"), ""));
    if (jv_type(jv_get(row, "eden_bytes")) != JV_NUMBER)
        return err_set(why, ERR_INVALID, "the target left no last word");
    struct heap_stats *heap = &out->figures.heap;
    out->figures.runs = 1;
    out->figures.ooms = oom;
    out->figures.bytes = jv_u64(jv_get(row, "read_bytes"), 0);
    out->figures.buffers = jv_u64(jv_get(row, "buffer_bytes"), 0);
#define X(name) heap->name = jv_u64(jv_get(row, #name), 0);
    HEAP(X)
#undef X
    (void)snprintf(out->note, sizeof out->note, "%s",
                   jv_text(jv_get(row, "invalid"), ""));
    return ERR_OK;
}

enum err reading_take(const char *json, struct result *out, struct why *why)
{
    struct jv *root = NULL;
    *out = (struct result){.note = ""};
    enum err e = jv_parse(&root, "pitwall query", json, strlen(json), why);
    if (!e)
        e = take_row(jv_at(jv_get(root, "rows"), 0), out, why);
    jv_free(root);
    return e;
}
