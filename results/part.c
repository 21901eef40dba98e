#include "results/part.h"

#include <stdio.h>
#include <string.h>

#include "results/artifact.h"
#include "results/rowsum.h"

enum err part_open(struct part *out, const struct store_part *in, unsigned host,
                   struct why *why)
{
    *out = (struct part){.in = in,
                         .host = host,
                         .load = strcmp(in->role, "target") != 0,
                         .target = strcmp(in->role, "load") != 0};
    (void)snprintf(out->side, sizeof out->side, out->load ? "load" : "target");
    if (out->load && host)
        (void)snprintf(out->side, sizeof out->side, "load%u", host + 1);
    enum err e = ERR_OK;
    if (in->spool)
        e = intake_open(&out->intake, in->spool, in->spool_len, why);
    return e ? err_wrap(why, e, "agent %s", in->agent) : ERR_OK;
}

void part_close(struct part *part)
{
    intake_close(&part->intake);
}

void part_name_side(const struct part *part, struct record *record)
{
    size_t n = 0;
    const struct wire_field *fields = record_fields(record->kind, &n);
    for (size_t i = 0; i < n; i++) {
        char *side = (char *)&record->as + fields[i].offset;
        if (!strcmp(fields[i].name, "side") && !strcmp(side, "load"))
            (void)snprintf(side, fields[i].max + 1, "%s", part->side);
    }
}

/* Of a machine that only loads, names tell which one it was. */
static void name_artifact(const struct part *part, const char *base,
                          const char *ending, char *buf, size_t size)
{
    if (part->target)
        (void)snprintf(buf, size, "%s%s", base, ending);
    else if (!strcmp(base, "stderr-load"))
        (void)snprintf(buf, size, "stderr-%s%s", part->side, ending);
    else
        (void)snprintf(buf, size, "%s-%s%s", base, part->side, ending);
}

enum err part_put_artifacts(struct db *db, int64_t attempt,
                            const struct part *part, struct why *why)
{
    static const struct {
        enum spool_stream stream;
        const char *name, *ending;
    } kept[] = {{SPOOL_TARGET_FINAL, "target-final", ".json"},
                {SPOOL_EXECUTOR, "executor", ".json"},
                {SPOOL_CLOSING, "closing", ".json"},
                {SPOOL_GC_LOG, "gc", ".log"},
                {SPOOL_RECORDING, "recording", ".jfr"},
                {SPOOL_STDERR_TARGET, "stderr-target", ".txt"},
                {SPOOL_STDERR_LOAD, "stderr-load", ".txt"}};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < sizeof kept / sizeof *kept; i++) {
        const struct wire_blob *b = &part->intake.streams[kept[i].stream];
        char name[64];
        name_artifact(part, kept[i].name, kept[i].ending, name, sizeof name);
        if (b->len)
            e = artifact_add(db, attempt, name, b->data, b->len, why);
    }
    return e;
}

/* Who took part, and when by its own clock the window began. */
enum err part_put_agent(struct db *db, int64_t attempt, const struct part *part,
                        struct why *why)
{
    const struct store_part *p = part->in;
    struct db_value none = {.type = DB_NULL};
    const struct db_value row[] = {DB_I(attempt),
                                   DB_T(p->agent),
                                   DB_T(p->role),
                                   DB_T(part->side),
                                   DB_I(p->spool_len),
                                   p->started ? DB_I(p->t0_ns) : none,
                                   p->started ? DB_I(p->offset_ns) : none,
                                   p->started ? DB_I(p->uncertain_ns) : none};
    static const char *const names[] = {"attempt",
                                        "agent",
                                        "role",
                                        "side",
                                        "spool_bytes",
                                        "t0_ns",
                                        "clock_offset_ns",
                                        "clock_uncertain_ns"};
    uint32_t sum = 0;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        sum = rowsum_add(sum, names[i], &row[i]);
    return db_run(db,
                  "insert into attempt_agent (attempt, agent, role, side, "
                  "spool_bytes, t0_ns, clock_offset_ns, clock_uncertain_ns, "
                  "crc) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                  DB_VALUES(row[0], row[1], row[2], row[3], row[4], row[5],
                            row[6], row[7], DB_I(sum)),
                  NULL, why);
}
