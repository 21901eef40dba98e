#include "results/ingest_read.h"

#include <stdlib.h>
#include <string.h>

#include "results/intake.h"
#include "results/merge.h"

/* Only lack of memory is an error: what cannot be read is left out. */
static enum err unless_memory(enum err e)
{
    return e == ERR_NOMEM ? e : ERR_OK;
}

/* Facts are the watches' and are not merged. */
static enum err gather(struct merge *merge, unsigned host,
                       const struct intake *intake, struct tally *tally,
                       struct why *why)
{
    struct record record;
    struct intake_walk walk = {.intake = intake};
    enum err e = ERR_OK;
    while (!e && intake_next(&walk, &record)) {
        if (merge_takes(record.kind))
            e = unless_memory(merge_add(merge, host, &record, why));
        else if (record.kind == RECORD_IS_fact)
            e = tally_sample(tally, &record, why);
    }
    return e;
}

static enum err add_up(struct merge *merge, struct tally *tally,
                       struct why *why)
{
    struct record record;
    bool more = true;
    enum err e = ERR_OK;
    while (!e) {
        e = unless_memory(merge_next(merge, &record, &more, why));
        if (e || !more)
            break;
        e = unless_memory(tally_total(tally, &record, why));
    }
    if (e)
        return e;
    tally_window(tally);
    return tally_end(tally, why);
}

enum err ingest_read(struct tally **out, const struct store_part *parts,
                     size_t n, struct why *why)
{
    struct merge *merge = NULL;
    struct tally *tally = NULL;
    struct intake *intakes = calloc(n + 1, sizeof *intakes);
    unsigned host = 0;
    *out = NULL;
    enum err e = intakes ? merge_new(&merge, why)
                         : err_set(why, ERR_NOMEM, "spools of the loads");
    if (!e)
        e = tally_new(&tally, why);
    for (size_t i = 0; !e && i < n; i++) {
        if (!parts[i].spool || !strcmp(parts[i].role, "target"))
            continue;
        e = intake_open(&intakes[i], parts[i].spool, parts[i].spool_len, why);
        if (e)
            e = err_wrap(why, e, "agent %s", parts[i].agent);
        else
            e = gather(merge, host++, &intakes[i], tally, why);
    }
    if (!e)
        e = add_up(merge, tally, why);
    if (!e) {
        *out = tally;
        tally = NULL;
    }
    for (size_t i = 0; intakes && i < n; i++)
        intake_close(&intakes[i]);
    free(intakes);
    merge_free(merge);
    tally_free(tally);
    return e;
}
