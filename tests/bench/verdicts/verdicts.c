/* How often `pitwall compare` is right: sittings of two cells with a known
 * difference, stored as `pitwall run` stores them and judged by answer_compare.
 *
 *   ln y = block + drift + noise + difference
 *   block  normal, 4 % from block to block
 *   drift  linear, 0 or 4 % over the sitting
 *   noise  normal, 1, 2 or 5 % from trial to trial; "skewed": and one trial
 *          in ten is 10 % slower
 *
 * Trials run in the controller's own order. Each line but the last is a
 * scenario; then "verdicts" with, over BLOCKS blocks and a margin of 2 %:
 *
 *   false_differences  of A/A sittings at every noise and drift, the share that
 *                      is called improved or regressed (goal: at most 0.05)
 *   found_Npct         of sittings with N % more at 2 % noise and drift
 *   equivalent_0       of A/A sittings at 2 % noise and drift
 *   equivalent_2pct    of sittings at the margin itself (goal: at most 0.05)
 *   looks_false        of A/A sittings with looks at 6, 12 and 24 blocks, ended
 *                      at the first that has a verdict, the share that is
 *                      called different (goal: at most 0.05)
 *   looks_found_3pct   of such sittings with 3 % more
 *   looks_blocks       that these A/A sittings took, on average
 *   usage: verdicts [SITTINGS [BLOCKS [SEED]]] (default: 400 12 1) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/rand.h"
#include "controller/order.h"
#include "results/compare.h"
#include "results/look.h"
#include "results/store.h"
#include "tests/unit/results/spooler.h"

#define CELLS      2u
#define BASE_DOCS  1e7 /* documents of a trial: rounding is no noise */
#define BLOCK_SD   0.04
#define BLOCKS_MAX 100u
#define PI         3.14159265358979323846

struct scenario {
    const char *name;
    double noise, drift, difference;
    bool skewed; /* one trial in ten 10 % slower */
};

static const struct scenario scenarios[] = {
    {"aa_1pct", 0.01, 0, 0, false},
    {"aa_2pct", 0.02, 0, 0, false},
    {"aa_5pct", 0.05, 0, 0, false},
    {"aa_1pct_drift", 0.01, 0.04, 0, false},
    {"aa_2pct_drift", 0.02, 0.04, 0, false},
    {"aa_5pct_drift", 0.05, 0.04, 0, false},
    {"aa_2pct_skewed", 0.02, 0.04, 0, true},
    {"plus_1pct", 0.02, 0.04, 0.01, false},
    {"plus_2pct", 0.02, 0.04, 0.02, false},
    {"plus_3pct", 0.02, 0.04, 0.03, false},
    {"plus_5pct", 0.02, 0.04, 0.05, false},
};

/* The same with looks. */
static const struct scenario looked[] = {
    {"looks_aa", 0.02, 0.04, 0, false},
    {"looks_plus_3pct", 0.02, 0.04, 0.03, false},
};
#define LOOKS       "6,12,24"
#define N_SCENARIOS (sizeof scenarios / sizeof *scenarios)

/* Shares of a scenario's sittings. */
struct tally {
    size_t blocks, n, improved, regressed, equivalent;
};

struct bench {
    char dir[64];
    struct store *store;
    struct rand rand;
    size_t n_blocks;
    unsigned n_plans;
};

static void check(enum err e, const struct why *why)
{
    if (!e)
        return;
    (void)fprintf(stderr, "verdicts: %s\n", why->text);
    exit(1);
}

static double normal(struct rand *r)
{
    double u = 1 - rand_unit(r), v = rand_unit(r);
    return sqrt(-2 * log(u)) * cos(2 * PI * v);
}

/* A plan in the order that its seed gives; the experiment's id. */
static int64_t plan(struct bench *b, uint32_t *order)
{
    static const struct store_level levels[] = {{"a", "a"}, {"b", "b"}};
    static const struct store_factor factors[] = {
        {"target", "target", levels, CELLS}};
    static const uint32_t of[CELLS] = {0, 1};
    static const struct store_cell cells[CELLS] = {
        {"target=a", &of[0], PURPOSE_MEASURE, 0},
        {"target=b", &of[1], PURPOSE_MEASURE, 0}};
    struct why why = {0};
    char uuid[40], name[40];
    int64_t id = 0;
    uint64_t seed = rand_next(&b->rand);
    (void)snprintf(uuid, sizeof uuid, "sitting %u", b->n_plans);
    (void)snprintf(name, sizeof name, "sitting%u", b->n_plans++);
    order_fill(ORDER_BLOCKS, seed, CELLS, (uint32_t)b->n_blocks, order);
    const struct store_plan p = {.uuid = uuid,
                                 .name = name,
                                 .track = "geonames",
                                 .challenge = "append-no-conflicts",
                                 .target = "a",
                                 .json = "{}",
                                 .version = PITWALL_VERSION,
                                 .seed = seed,
                                 .order_kind = "blocks",
                                 .measure_ns = 1000000000,
                                 .factors = factors,
                                 .n_factors = 1,
                                 .cells = cells,
                                 .n_cells = CELLS,
                                 .order = order,
                                 .n_blocks = b->n_blocks,
                                 .benches = (const char *const[]){"local"},
                                 .n_benches = 1};
    check(store_plan_add(b->store, &p, &id, &why), &why);
    return id;
}

static void put(struct bench *b, int64_t experiment, uint32_t tid, double docs)
{
    struct why why = {0};
    struct spooler s = {0};
    int64_t attempt = 0;
    uint32_t n = 0;
    spooler_docs(&s, (uint64_t)llround(docs), (uint64_t)llround(docs));
    check(store_attempt_add(b->store, experiment, tid, &attempt, &n, &why),
          &why);
    const struct store_part part = {.agent = "local",
                                    .role = "both",
                                    .spool = s.spool.data,
                                    .spool_len = s.spool.len};
    const struct store_result result = {
        .outcome = OUTCOME_OK, .parts = &part, .n_parts = 1};
    check(store_attempt_end(b->store, attempt, &result, &why), &why);
    spooler_free(&s);
}

/* Blocks from..to - 1 of the sitting. */
struct part {
    size_t from, to;
};

static void measure(struct bench *b, const struct scenario *s,
                    const uint32_t *order, int64_t experiment, struct part part)
{
    size_t n = b->n_blocks * CELLS;
    double block = 0;
    for (size_t i = part.from * CELLS; i < part.to * CELLS; i++) {
        if (i % CELLS == 0)
            block = BLOCK_SD * normal(&b->rand);
        double y = block + s->drift * (double)i / (double)n +
                   s->noise * normal(&b->rand) +
                   (order[i] ? log1p(s->difference) : 0);
        if (s->skewed && rand_unit(&b->rand) < 0.1)
            y -= 0.1;
        put(b, experiment, (uint32_t)i + 1, BASE_DOCS * exp(y));
    }
}

static void judge(struct bench *b, int64_t experiment, struct tally *t)
{
    struct why why = {0};
    struct grid grid;
    struct compare_found found;
    char base[40], contender[40];
    const char *const contenders[] = {contender};
    (void)snprintf(base, sizeof base, "%lld:target=a", (long long)experiment);
    (void)snprintf(contender, sizeof contender, "%lld:target=b",
                   (long long)experiment);
    const struct compare_options options = {.base = base,
                                            .contenders = contenders,
                                            .n_contenders = 1,
                                            .metrics = "throughput",
                                            .margin_ratio = COMPARE_MARGIN,
                                            .alpha = COMPARE_ALPHA,
                                            .machine = true};
    grid_init(&grid);
    check(answer_compare(b->store, &options, &grid, &found, &why), &why);
    for (size_t c = 0; c < grid.n_columns; c++)
        if (!strcmp(grid.columns[c].name, "verdict")) {
            const char *word = grid.cells[c].text;
            t->n++;
            t->improved += !strcmp(word, "improved");
            t->regressed += !strcmp(word, "regressed");
            t->equivalent += !strcmp(word, "equivalent");
        }
    grid_fini(&grid);
}

static double share(size_t k, size_t n)
{
    return n ? (double)k / (double)n : 0;
}

/* One sitting that ends at the first look that has every verdict. */
static size_t measure_looking(struct bench *b, const struct scenario *s,
                              const uint32_t *order, int64_t experiment)
{
    struct why why = {0};
    struct look_rule rule;
    struct look look = {.stop = false};
    size_t done = 0;
    check(look_parse_planned(&rule, LOOKS, &why), &why);
    (void)snprintf(rule.metric, sizeof rule.metric, "throughput");
    for (size_t i = 0; i < rule.n && !look.stop; i++) {
        measure(b, s, order, experiment, (struct part){done, rule.at[i]});
        done = rule.at[i];
        check(look_take(b->store, experiment, &rule, rule.at[i], &look, &why),
              &why);
    }
    return done;
}

/* All sittings of one scenario, in a store of its own. */
static void run(struct bench *b, const struct scenario *s, size_t sittings,
                bool looking, struct tally *t)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    struct why why = {0};
    uint32_t order[BLOCKS_MAX * CELLS];
    char path[96];
    (void)snprintf(path, sizeof path, "%s/lab.db", b->dir);
    check(store_open(&b->store, path, STORE_WRITE, &why), &why);
    for (size_t i = 0; i < sittings; i++) {
        int64_t experiment = plan(b, order);
        if (looking)
            t->blocks += measure_looking(b, s, order, experiment);
        else
            measure(b, s, order, experiment, (struct part){0, b->n_blocks});
        judge(b, experiment, t);
    }
    store_close(b->store);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        (void)snprintf(path, sizeof path, "%s/lab.db%s", b->dir, suffixes[i]);
        (void)unlink(path);
    }
    size_t open = t->n - t->improved - t->regressed - t->equivalent;
    (void)printf("%s improved=%.3f regressed=%.3f equivalent=%.3f "
                 "inconclusive=%.3f\n",
                 s->name, share(t->improved, t->n), share(t->regressed, t->n),
                 share(t->equivalent, t->n), share(open, t->n));
    (void)fflush(stdout);
}

static const struct tally *of(const struct tally *tallies, const char *name)
{
    for (size_t s = 0; s < N_SCENARIOS; s++)
        if (!strcmp(scenarios[s].name, name))
            return &tallies[s];
    abort();
}

static void sum_up(const struct tally *tallies, const struct tally *looks)
{
    static const char *const found[] = {"plus_1pct", "plus_2pct", "plus_3pct",
                                        "plus_5pct"};
    size_t n = 0, different = 0;
    for (size_t s = 0; s < N_SCENARIOS; s++)
        if (scenarios[s].difference == 0) {
            n += tallies[s].n;
            different += tallies[s].improved + tallies[s].regressed;
        }
    (void)printf("verdicts false_differences=%.3f", share(different, n));
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        const struct tally *t = of(tallies, found[i]);
        (void)printf(" found_%s=%.3f", found[i] + strlen("plus_"),
                     share(t->improved, t->n));
    }
    const struct tally *aa = of(tallies, "aa_2pct_drift");
    const struct tally *margin = of(tallies, "plus_2pct");
    (void)printf(" equivalent_0=%.3f equivalent_2pct=%.3f",
                 share(aa->equivalent, aa->n),
                 share(margin->equivalent, margin->n));
    (void)printf(" looks_false=%.3f looks_found_3pct=%.3f looks_blocks=%.1f\n",
                 share(looks[0].improved + looks[0].regressed, looks[0].n),
                 share(looks[1].improved, looks[1].n),
                 share(looks[0].blocks, looks[0].n));
}

int main(int argc, char **argv)
{
    struct tally tallies[N_SCENARIOS] = {{0}}, looks[2] = {{0}};
    size_t sittings = argc > 1 ? strtoul(argv[1], NULL, 10) : 400;
    struct bench b = {.n_blocks = argc > 2 ? strtoul(argv[2], NULL, 10) : 12,
                      .rand = {argc > 3 ? strtoul(argv[3], NULL, 10) : 1}};
    if (argc > 4 || !sittings || sittings > 100000 || b.n_blocks < 3 ||
        b.n_blocks > BLOCKS_MAX) {
        (void)fprintf(stderr, "usage: verdicts [SITTINGS [BLOCKS [SEED]]], 3 "
                              "to 100 blocks\n");
        return 2;
    }
    /* In memory where there is such a file system: no disk is measured. */
    (void)snprintf(b.dir, sizeof b.dir, "%s/pitwall-verdicts-XXXXXX",
                   access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(b.dir)) {
        perror("verdicts");
        return 1;
    }
    for (size_t s = 0; s < N_SCENARIOS; s++)
        run(&b, &scenarios[s], sittings, false, &tallies[s]);
    b.n_blocks = 24;
    for (size_t s = 0; s < 2; s++)
        run(&b, &looked[s], sittings, true, &looks[s]);
    sum_up(tallies, looks);
    (void)rmdir(b.dir);
    return 0;
}
