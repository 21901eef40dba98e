/* Fills a store with trials of 60 s, as `pitwall run` would: each has 180
 * samples (a second of the load's answers, of the target's sockets and of its
 * own statistics), latency and service time of 1,000,000 requests for the whole
 * window and its first two seconds (6 histograms of 2 to 4 KB), the driver's
 * counts and the target's last word. 100 cells, a block each 100 trials;
 * throughput depends on the cell, with 3 % noise.
 *   usage: fill DB TRIALS
 * Prints key=value: end_s, the time of all store_attempt_end (one transaction
 * each, durable), end_cpu_s, CPU time of these, move_s, the time of the six
 * rows of states before each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/rand.h"
#include "results/store.h"
#include "tests/unit/results/spooler.h"

#define SECONDS   60u
#define CELLS     100u
#define FACTORS   4u
#define LEVELS    5u
#define REQUESTS  100000u /* distinct ones of a histogram, ten times each */
#define VARIANTS  16u     /* of spools' histograms; making one takes long */
#define DOCS_BULK 1000u

static void die(const char *what, const struct why *why)
{
    (void)fprintf(stderr, "fill: %s: %s\n", what, why->text);
    exit(1);
}

/* Of a bulk's latencies: a tail to the right, 4 ms in the middle. */
static void add_hist(struct spooler *s, struct rand *r, const char *kind,
                     int64_t second, uint32_t n)
{
    uint64_t *values = calloc(n, sizeof *values);
    if (!values)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        double u = rand_unit(r), v = rand_unit(r);
        values[i] =
            (uint64_t)(4e6 * exp(0.35 * (u + v - 1) - 0.1 * log(1 - v)));
    }
    spooler_hist(s, "bulk", kind, second, values, n);
    free(values);
}

static void add_hists(struct spooler *s, struct rand *r)
{
    static const char *const kinds[] = {"latency", "service"};
    for (unsigned k = 0; k < 2; k++) {
        add_hist(s, r, kinds[k], RECORD_WHOLE_WINDOW, REQUESTS);
        add_hist(s, r, kinds[k], 0, REQUESTS / SECONDS);
        add_hist(s, r, kinds[k], 1, REQUESTS / SECONDS);
    }
}

static void add_second(struct spooler *s, int64_t second, uint64_t docs)
{
    const uint64_t bulks = docs / DOCS_BULK, bytes = docs * 310;
    const struct record_sample_load load = {.second = second,
                                            .task = "bulk",
                                            .ops = bulks,
                                            .docs = bulks * DOCS_BULK,
                                            .bytes = bytes,
                                            .in_flight = 8};
    const struct record_sample_tcp tcp = {.second = second,
                                          .side = "target",
                                          .segs_in = bytes / 1448,
                                          .segs_out = bytes / 2896,
                                          .sockets = 8,
                                          .rcvq_bytes = 300000,
                                          .rcvbuf_min = 131072,
                                          .rcvbuf_max = 6291456,
                                          .rtt_ns = 60000};
    const struct record_sample_target target = {.second = second,
                                                .docs = bulks * DOCS_BULK,
                                                .requests = bulks,
                                                .reads = bytes / 56000,
                                                .read_bytes = bytes,
                                                .buffer_bytes = bytes * 2,
                                                .tlab_bytes = bytes / 3,
                                                .young_count = 4,
                                                .young_ns = 3000000,
                                                .heap_used = 200000000,
                                                .heap_max = 1073741824};
    spooler_record(s, SPOOL_LOAD, RECORD_IS_sample_load, &load);
    spooler_record(s, SPOOL_WATCH_TARGET, RECORD_IS_sample_tcp, &tcp);
    spooler_record(s, SPOOL_WATCH_TARGET, RECORD_IS_sample_target, &target);
}

static void add_ends(struct spooler *s, uint64_t docs)
{
    char last[400];
    const struct record_task task = {.task = "bulk",
                                     .operation = "bulk",
                                     .unit = "docs",
                                     .clients = 8,
                                     .window_ns = SECONDS * NS_PER_S,
                                     .ops = docs / DOCS_BULK,
                                     .docs = docs,
                                     .bytes = docs * 310};
    const struct record_driver driver = {.engine = "raw",
                                         .threads = 2,
                                         .docs_acked = docs,
                                         .requests = docs / DOCS_BULK,
                                         .body_bytes = docs * 310};
    spooler_record(s, SPOOL_LOAD, RECORD_IS_task, &task);
    spooler_record(s, SPOOL_LOAD, RECORD_IS_driver, &driver);
    (void)snprintf(
        last, sizeof last,
        "{\"version\":1,\"outcome\":\"ok\",\"total\":{\"docs\":%llu},"
        "\"window\":{\"docs\":%llu,\"reads\":%llu,"
        "\"read_bytes\":%llu},\"read_bytes\":[[56000,30000]],"
        "\"settings\":{\"predictor\":\"fixed:64k\"}}",
        (unsigned long long)docs, (unsigned long long)docs,
        (unsigned long long)docs * 310 / 56000, (unsigned long long)docs * 310);
    spooler_text(s, SPOOL_TARGET_FINAL, last);
}

/* The histograms, made once, before the rest of the spool. */
static void make_spool(struct spooler *out, const struct spooler *hists,
                       uint64_t docs_s)
{
    out->spool.len = 0;
    out->seq = 0;
    uint64_t docs = 0;
    if (out->spool.cap < hists->spool.len + (1u << 20)) {
        out->spool.cap = hists->spool.len + (1u << 20);
        out->spool.data = realloc(out->spool.data, out->spool.cap);
        if (!out->spool.data)
            abort();
    }
    memcpy(out->spool.data, hists->spool.data, hists->spool.len);
    out->spool.len = hists->spool.len;
    out->seq = hists->seq;
    for (unsigned i = 0; i < SECONDS; i++) {
        uint64_t of_second = docs_s / DOCS_BULK * DOCS_BULK;
        add_second(out, i, of_second);
        docs += of_second;
    }
    add_ends(out, docs);
}

/* heap x predictor x (rmem, link): 5 x 5 x 4, the last two of two levels. */
static int64_t plan(struct store *store, uint32_t blocks)
{
    static const struct store_level heaps[] = {{"256m", "256m"},
                                               {"512m", "512m"},
                                               {"1g", "1g"},
                                               {"2g", "2g"},
                                               {"4g", "4g"}};
    static const struct store_level predictors[] = {
        {"fixed:16k", "fixed:16k"},
        {"fixed:32k", "fixed:32k"},
        {"fixed:64k", "fixed:64k"},
        {"adaptive:16k-64k", "adaptive:16k-64k"},
        {"adaptive:1k-512k", "adaptive:1k-512k"}};
    static const struct store_level rmems[] = {{"default", "default"},
                                               {"low", "low"}};
    static const struct store_level links[] = {
        {"loopback", "loopback"}, {"eth", "veth:mtu=1500+offloads=off"}};
    static const struct store_factor factors[FACTORS] = {
        {"heap", "target", heaps, LEVELS},
        {"predictor", "target", predictors, LEVELS},
        {"rmem", "kernel", rmems, 2},
        {"link", "link", links, 2}};
    static uint32_t levels[CELLS][FACTORS];
    static struct store_cell cells[CELLS];
    static char labels[CELLS][96];
    uint32_t *order = calloc((size_t)blocks * CELLS, sizeof *order);
    struct why why = {0};
    int64_t id = 0;
    if (!order)
        abort();
    for (uint32_t c = 0; c < CELLS; c++) {
        uint32_t at = c;
        size_t n = 0;
        for (uint32_t f = 0; f < FACTORS; f++) {
            levels[c][f] = at % (uint32_t)factors[f].n_levels;
            at /= (uint32_t)factors[f].n_levels;
            n += (size_t)snprintf(labels[c] + n, sizeof labels[c] - n,
                                  "%s%s=%s", f ? "," : "", factors[f].name,
                                  factors[f].levels[levels[c][f]].label);
        }
        cells[c] =
            (struct store_cell){labels[c], levels[c], PURPOSE_MEASURE, 0};
    }
    for (uint32_t i = 0; i < blocks * CELLS; i++)
        order[i] = i % CELLS;
    const struct store_plan p = {.uuid = "5d2f0a5e-3a0e-4b60-9d38-000000000001",
                                 .name = "store",
                                 .track = "geonames",
                                 .challenge = "append-no-conflicts",
                                 .target = "pitwall",
                                 .json = "{\"version\":1}",
                                 .version = PITWALL_VERSION,
                                 .order_kind = "blocks",
                                 .measure_ns = SECONDS * NS_PER_S,
                                 .factors = factors,
                                 .n_factors = FACTORS,
                                 .cells = cells,
                                 .n_cells = CELLS,
                                 .order = order,
                                 .n_blocks = blocks,
                                 .benches = (const char *const[]){"local"},
                                 .n_benches = 1};
    if (store_plan_add(store, &p, &id, &why))
        die("plan", &why);
    free(order);
    return id;
}

static void check(enum err e, const struct why *why)
{
    if (e)
        die("store", why);
}

/* Where the time went. */
struct spent {
    uint64_t end_ns, end_cpu_ns, move_ns;
};

static void put(struct store *store, int64_t experiment, uint32_t tid,
                const struct spooler *spool, struct spent *spent)
{
    struct why why = {0};
    int64_t attempt = 0;
    uint32_t n = 0;
    uint64_t t0_ns = clock_mono_ns();
    check(store_attempt_add(store, experiment, tid, &attempt, &n, &why), &why);
    for (enum attempt_state s = ATTEMPT_PREPARING; s <= ATTEMPT_SEALED; s++)
        if (s != ATTEMPT_STOPPING)
            check(store_attempt_move(store, attempt, s, &why), &why);
    uint64_t t1_ns = clock_mono_ns(), cpu_ns = clock_thread_cpu_ns();
    const struct store_part part = {.agent = "local",
                                    .role = "both",
                                    .spool = spool->spool.data,
                                    .spool_len = spool->spool.len};
    const struct store_result result = {
        .outcome = OUTCOME_OK, .parts = &part, .n_parts = 1};
    check(store_attempt_end(store, attempt, &result, &why), &why);
    spent->end_ns += clock_mono_ns() - t1_ns;
    spent->end_cpu_ns += clock_thread_cpu_ns() - cpu_ns;
    spent->move_ns += t1_ns - t0_ns;
}

int main(int argc, char **argv)
{
    struct why why = {0};
    struct store *store = NULL;
    struct spooler hists[VARIANTS] = {0}, spool = {0};
    struct rand r = {1};
    struct spent spent = {0};
    unsigned long trials = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (!trials || trials % CELLS || trials > 10000000) {
        (void)fprintf(stderr, "usage: fill DB TRIALS (a multiple of %u)\n",
                      CELLS);
        return 2;
    }
    if (store_open(&store, argv[1], STORE_WRITE, &why))
        die("open", &why);
    int64_t experiment = plan(store, (uint32_t)(trials / CELLS));
    for (unsigned i = 0; i < VARIANTS; i++)
        add_hists(&hists[i], &r);
    for (uint32_t t = 0; t < trials; t++) {
        double noise = rand_unit(&r) + rand_unit(&r) + rand_unit(&r) - 1.5;
        double docs_s = 1e6 * (1 + 0.01 * (t % CELLS)) * (1 + 0.06 * noise);
        make_spool(&spool, &hists[t % VARIANTS], (uint64_t)docs_s);
        put(store, experiment, t + 1, &spool, &spent);
    }
    if (store_experiment_end(store, experiment, "finished", &why))
        die("end", &why);
    store_close(store);
    (void)printf("trials=%lu spool_bytes=%zu end_s=%.3f end_cpu_s=%.3f "
                 "move_s=%.3f\n",
                 trials, spool.spool.len, (double)spent.end_ns / 1e9,
                 (double)spent.end_cpu_ns / 1e9, (double)spent.move_ns / 1e9);
    for (unsigned i = 0; i < VARIANTS; i++)
        spooler_free(&hists[i]);
    spooler_free(&spool);
    return 0;
}
