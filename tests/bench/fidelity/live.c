/* How long is chosen so that as many bytes of receive buffers are allocated,
 * in warm-up and window, as in the JVM's run: then about as many collections
 * pass, and the sizes of allocation buffers are as far on their way
 * (target-memory.md section d). Where reads are as large as the JVM's were that
 * is the same number of ingested bytes. The rate that this kind of link had
 * last time gives a first guess; a run that was far off is done again.
 *
 * The JVM warmed up without a shaper: its reads filled their buffers. */
#include "tests/bench/fidelity/live.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/interrupt.h"
#include "tests/bench/fidelity/levels.h"
#include "tests/bench/fidelity/program.h"
#include "tests/bench/fidelity/workload.h"

#define TRIES      3
#define NEARNESS   0.2 /* of the amount of the JVM, either way */
#define SHORTEST_S 0.2
#define LONGEST_S  30.0
#define REST_NS    (90 * NS_PER_S) /* beside warm-up and window */

/* Kinds of cells by how fast they go, and a first guess, bytes per second. */
static const struct {
    const char *link;
    bool low;
    double bytes_s;
} kinds[] = {{"lo", false, 800e6},     {"lo", true, 80e6},
             {"eth", false, 400e6},    {"eth", true, 40e6},
             {"eth1g", false, 110e6},  {"eth1g", true, 40e6},
             {"eth200m", false, 23e6}, {"eth200m", true, 23e6}};

#define KINDS (sizeof kinds / sizeof *kinds)

struct live {
    char folder[64], db[96];
    int signals;
    const char *pitwall;
    double bytes_s[KINDS];
};

enum err live_open(struct live **out, const char *pitwall, struct why *why)
{
    *out = NULL;
    struct live *l = calloc(1, sizeof *l);
    if (!l)
        return err_set(why, ERR_NOMEM, "live: no memory");
    l->signals = -1;
    l->pitwall = pitwall;
    for (size_t i = 0; i < KINDS; i++)
        l->bytes_s[i] = kinds[i].bytes_s;
    (void)snprintf(l->folder, sizeof l->folder, "/tmp/fidelity-XXXXXX");
    enum err e = interrupt_open(&l->signals, why);
    if (!e && !mkdtemp(l->folder))
        e = err_errno(why, errno, "make a folder in /tmp");
    if (e)
        l->folder[0] = '\0';
    (void)snprintf(l->db, sizeof l->db, "%s/cell.db", l->folder);
    if (e) {
        live_close(l);
        return e;
    }
    *out = l;
    return ERR_OK;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *walk)
{
    (void)st;
    (void)kind;
    (void)walk;
    return remove(path);
}

void live_close(struct live *l)
{
    if (!l)
        return;
    if (l->folder[0])
        (void)nftw(l->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (l->signals >= 0)
        (void)close(l->signals);
    free(l);
}

static size_t kind_of(const struct row *row)
{
    bool low = !strcmp(row->rmem, "low");
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(row->link, kinds[i].link) && low == kinds[i].low)
            return i;
    return 0;
}

/* Whole milliseconds, not longer than is patient. */
static uint64_t time_of(double seconds)
{
    double bounded = seconds < LONGEST_S ? seconds : LONGEST_S;
    return (uint64_t)(bounded * 1000) * NS_PER_MS;
}

/* Bytes of buffers, in the JVM's run. */
struct amount {
    double per_byte, warmup, window;
};

static struct amount amount_of(const struct row *row)
{
    double ingested = (double)row->bytes_ingested;
    double per_byte = (double)row->recv_buf_alloc_bytes / ingested;
    bool low = !strcmp(row->rmem, "low"); /* in the warm-up, too */
    double window = row_oom(row) ? (double)row->bytes_target : ingested;
    return (struct amount){per_byte,
                           (double)row->warmup_bytes * (low ? per_byte : 1),
                           window * per_byte};
}

static enum err query(struct live *l, struct result *out, struct why *why)
{
    const struct program program = {l->folder, l->signals, REST_NS};
    struct program_end end;
    char pitwall[LEVELS_TEXT_MAX], db[LEVELS_TEXT_MAX], sql[2048];
    (void)snprintf(pitwall, sizeof pitwall, "%s", l->pitwall);
    (void)snprintf(db, sizeof db, "%s", l->db);
    (void)snprintf(sql, sizeof sql, "%s", reading_sql());
    char *argv[] = {pitwall, (char[]){"query"},  (char[]){"--db"},
                    db,      (char[]){"--json"}, sql,
                    NULL};
    enum err e = program_run(&program, argv, &end, why);
    if (!e && end.status)
        e = err_set(why, ERR_CHILD, "%s", end.last);
    if (!e)
        e = reading_take(end.said, out, why);
    free(end.said);
    return e;
}

/* Each run has a store of its own. */
static void remove_db(const struct live *l)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char path[sizeof l->db + 8];
        (void)snprintf(path, sizeof path, "%s%s", l->db, ends[i]);
        (void)unlink(path);
    }
}

/* 3: the trial failed or is invalid, which the query tells. */
static bool has_trial(int status)
{
    return status == 0 || status == 3;
}

static enum err run_once(struct live *l, const struct levels_ground *ground,
                         const struct row *row, struct result *out,
                         struct why *why)
{
    const struct program program = {l->folder, l->signals,
                                    ground->warmup_ns + ground->measure_ns +
                                        REST_NS};
    struct levels *levels = malloc(sizeof *levels);
    struct program_end end = {.said = NULL};
    if (!levels)
        return err_set(why, ERR_NOMEM, "levels: no memory");
    remove_db(l);
    enum err e = levels_make(levels, row, ground, why);
    if (!e)
        e = program_run(&program, levels->argv, &end, why);
    if (!e && !has_trial(end.status))
        e = err_set(why, ERR_CHILD,
                    "%s (live runs make links in network namespaces, for which "
                    "they want root; --replay wants nothing)",
                    end.last);
    free(end.said);
    free(levels);
    return e ? e : query(l, out, why);
}

static enum err run_row(struct live *l, const struct row *row,
                        struct result *out, struct why *why)
{
    char track[128];
    struct amount want = amount_of(row);
    double *bytes_s = &l->bytes_s[kind_of(row)];
    double buffers_s = *bytes_s * want.per_byte;
    enum err e = workload_make(l->folder, row, track, sizeof track, why);
    for (int i = 0; i < TRIES && !e; i++) {
        const struct levels_ground ground = {
            .pitwall = l->pitwall,
            .track = track,
            .db = l->db,
            .warmup_ns = time_of(want.warmup / buffers_s),
            .measure_ns = time_of(fmax(want.window / buffers_s, SHORTEST_S))};
        double measured_s = (double)ground.measure_ns / NS_PER_S;
        e = run_once(l, &ground, row, out, why);
        if (e || out->figures.ooms || !out->figures.bytes)
            break;
        *bytes_s = (double)out->figures.bytes / measured_s;
        buffers_s = (double)out->figures.buffers / measured_s;
        if (fabs((double)out->figures.buffers / want.window - 1) <= NEARNESS)
            break;
    }
    return e;
}

enum err live_run(struct live *live, const struct row *row, struct result *out,
                  struct why *why)
{
    struct result one;
    enum err e = run_row(live, row, &one, why);
    if (e)
        return err_wrap(why, e, "run %llu", (unsigned long long)row->run);
    figures_add(&out->figures, &one.figures, row_oom(row));
    if (one.note[0])
        (void)snprintf(out->note, sizeof out->note, "%s", one.note);
    return ERR_OK;
}
