#include "tests/unit/results/lab.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "results/db.h"

void lab_init(struct lab *lab)
{
    *lab = (struct lab){.store = NULL};
    /* In memory where there is such a file system: nothing waits for disks. */
    (void)snprintf(lab->dir, sizeof lab->dir, "%s/pitwall-lab-XXXXXX",
                   access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    assert_non_null(mkdtemp(lab->dir));
    (void)snprintf(lab->path, sizeof lab->path, "%s/lab.db", lab->dir);
}

void lab_open(struct lab *lab)
{
    struct why why = {0};
    lab_init(lab);
    check_ok(store_open(&lab->store, lab->path, STORE_WRITE, &why), why);
}

static const struct store_level heaps[] = {{"256m", "256m"}, {"1g", "1g"}};
static const struct store_level links[] = {
    {"loopback", "loopback"},
    {"eth200", "veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off"}};
static const struct store_factor factors[] = {{"heap", "target", heaps, 2},
                                              {"link", "link", links, 2}};
static const uint32_t levels[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
static const struct store_cell cells[] = {
    {"heap=256m,link=loopback", levels[0], PURPOSE_MEASURE, 0},
    {"heap=256m,link=eth200", levels[1], PURPOSE_MEASURE, 0},
    {"heap=1g,link=loopback", levels[2], PURPOSE_MEASURE, 0},
    {"heap=1g,link=eth200", levels[3], PURPOSE_MEASURE, 0},
    {"heap=256m,link=loopback (again)", levels[0], PURPOSE_CANARY, 0}};
static const uint32_t order[] = {0, 1, 2, 3, 4, 4, 3, 2, 1, 0};
static const char *const tags[] = {"machine=bench7", "who=me"};

static const char *const benches[] = {"local"};

void lab_plan(struct lab *lab)
{
    struct why why = {0};
    static const struct store_plan plan = {
        .uuid = "6f6a1a54-7d0c-4b3e-8a3c-0d5c5f1a9b11",
        .name = "demo",
        .track = "geonames",
        .challenge = "append-no-conflicts",
        .target = "pitwall",
        .json = "{\"version\":1}",
        .version = "0.1.0",
        .seed = 18446744073709551615u,
        .order_kind = "blocks",
        .warmup_ns = 1000000000,
        .measure_ns = 2000000000,
        .factors = factors,
        .n_factors = 2,
        .cells = cells,
        .n_cells = 5,
        .order = order,
        .n_blocks = 2,
        .benches = benches,
        .n_benches = 1,
        .tags = tags,
        .n_tags = 2};
    check_ok(store_plan_add(lab->store, &plan, &lab->experiment, &why), why);
}

int64_t lab_end(struct lab *lab, uint32_t tid, enum attempt_outcome outcome,
                const struct spooler *spool)
{
    struct why why = {0};
    int64_t attempt = 0;
    uint32_t n = 0;
    check_ok(
        store_attempt_add(lab->store, lab->experiment, tid, &attempt, &n, &why),
        why);
    const struct store_part part = {.agent = "local",
                                    .role = "both",
                                    .spool = spool ? spool->spool.data : NULL,
                                    .spool_len = spool ? spool->spool.len : 0};
    const struct store_result result = {
        .outcome = outcome,
        .error = outcome == OUTCOME_FAILED ? "agent here: gone" : NULL,
        .parts = &part,
        .n_parts = 1};
    check_ok(store_attempt_end(lab->store, attempt, &result, &why), why);
    return attempt;
}

int64_t lab_docs(struct lab *lab, uint32_t tid, uint64_t docs, uint64_t counted)
{
    struct spooler spool = {0};
    spooler_docs(&spool, docs, counted);
    int64_t attempt = lab_end(lab, tid, OUTCOME_OK, &spool);
    spooler_free(&spool);
    return attempt;
}

void lab_measure(struct lab *lab)
{
    (void)lab_docs(lab, 1, 1000, 1000);
    (void)lab_docs(lab, 10, 1210, 1210);
    (void)lab_end(lab, 2, OUTCOME_OOM, NULL);
    (void)lab_docs(lab, 9, 500, 500);
    (void)lab_docs(lab, 3, 2000, 2000);
    (void)lab_end(lab, 8, OUTCOME_FAILED, NULL);
    (void)lab_docs(lab, 4, 800, 799);
    (void)lab_docs(lab, 7, 900, 900);
    (void)lab_docs(lab, 5, 1010, 1010);
    (void)lab_docs(lab, 6, 1210, 1210);
}

static struct db_value first(const struct lab *lab, const char *sql,
                             enum db_mode mode)
{
    struct why why = {0};
    struct db *db = NULL;
    struct db_stmt *stmt = NULL;
    bool row = false;
    const struct db_options options = {.mode = mode, .busy_ms = 1000};
    check_ok(db_open(&db, lab->path, &options, &why), why);
    check_ok(db_prepare(db, &stmt, sql, DB_NONE, &why), why);
    check_ok(db_step(stmt, &row, &why), why);
    struct db_value v = {.type = DB_NULL};
    if (row)
        v = db_column(stmt, 0);
    db_finish(stmt);
    db_close(db);
    return v;
}

int64_t lab_int(const struct lab *lab, const char *sql)
{
    struct db_value v = first(lab, sql, DB_READ);
    assert_int_equal(v.type, DB_INT);
    return v.i;
}

double lab_real(const struct lab *lab, const char *sql)
{
    struct db_value v = first(lab, sql, DB_READ);
    assert_int_equal(v.type, DB_REAL);
    return v.f;
}

void lab_exec(const struct lab *lab, const char *sql)
{
    (void)first(lab, sql, DB_WRITE);
}

void lab_script(const struct lab *lab, const char *name)
{
    char path[400];
    char *line = NULL, *sql = NULL;
    size_t cap = 0, len = 0;
    struct why why = {0};
    struct db *db = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", LAB_SCRIPTS, name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    check_ok(
        db_open(&db, lab->path, &(struct db_options){.mode = DB_WRITE}, &why),
        why);
    ssize_t n;
    while ((n = getline(&line, &cap, in)) > 0) {
        sql = realloc(sql, len + (size_t)n + 1);
        assert_non_null(sql);
        memcpy(sql + len, line, (size_t)n + 1);
        len += (size_t)n;
        if (len < 2 || strcmp(sql + len - 2, ";\n") != 0)
            continue;
        check_ok(db_run(db, sql, DB_NONE, NULL, &why), why);
        len = 0;
    }
    db_close(db);
    free(line);
    free(sql);
    assert_int_equal(fclose(in), 0);
}

#define NOBODY 65534

void lab_rights(bool own)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(own ? 0 : NOBODY), 0);
}

void lab_fini(struct lab *lab)
{
    char path[400];
    store_close(lab->store);
    DIR *dir = opendir(lab->dir);
    assert_non_null(dir);
    const struct dirent *entry;
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.') {
            (void)snprintf(path, sizeof path, "%s/%s", lab->dir, entry->d_name);
            assert_int_equal(unlink(path), 0);
        }
    (void)closedir(dir);
    assert_int_equal(rmdir(lab->dir), 0);
}
