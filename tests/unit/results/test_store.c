#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/handle.h"
#include "tests/unit/results/lab.h"

static struct why why;

static int64_t attempt_of(struct lab *lab, uint32_t tid)
{
    int64_t attempt = 0;
    uint32_t n = 0;
    check_ok(
        store_attempt_add(lab->store, lab->experiment, tid, &attempt, &n, &why),
        why);
    return attempt;
}

static enum err end(struct lab *lab, int64_t attempt,
                    enum attempt_outcome outcome, const struct wire_buf *spool)
{
    const struct store_part part = {.agent = "local",
                                    .role = "both",
                                    .spool = spool ? spool->data : NULL,
                                    .spool_len = spool ? spool->len : 0};
    const struct store_result result = {
        .outcome = outcome, .parts = &part, .n_parts = 1};
    return store_attempt_end(lab->store, attempt, &result, &why);
}

static void store_open_names_the_file_it_cannot_open(void **state)
{
    (void)state;
    struct store *store = NULL;
    check_err(
        store_open(&store, "/tmp/pitwall-nowhere/lab.db", STORE_READ, &why),
        ERR_NOTFOUND);
    check_says(why, "/tmp/pitwall-nowhere/lab.db");
    assert_null(store);
}

static void store_open_refuses_to_write_where_it_may_not(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    store_close(lab.store);
    assert_int_equal(chmod(lab.path, 0444), 0);
    assert_int_equal(chmod(lab.dir, 0755), 0);
    lab_rights(false);
    enum err e = store_open(&lab.store, lab.path, STORE_WRITE, &why);
    struct why first = why;
    char other[128];
    struct store *none = NULL;
    (void)snprintf(other, sizeof other, "%s/new.db", lab.dir);
    enum err f = store_open(&none, other, STORE_WRITE, &why);
    lab_rights(true);
    check_err(e, ERR_PERMISSION);
    check_says(first, lab.path);
    check_err(f, ERR_PERMISSION);
    check_says(why, "new.db");
    assert_int_not_equal(access(other, F_OK), 0);
    lab_fini(&lab);
}

/* A process that dies without closing leaves -wal and -shm behind. */
static void die_after(struct lab *lab, void (*work)(struct lab *))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        work(lab);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void measure_one(struct lab *lab)
{
    struct spooler spool = {0};
    if (store_open(&lab->store, lab->path, STORE_WRITE, &why))
        _exit(1);
    lab_plan(lab);
    spooler_trial(&spool);
    (void)lab_end(lab, 1, OUTCOME_OK, &spool);
}

static void what_was_committed_outlives_a_killed_writer(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    die_after(&lab, measure_one);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial"), 1);
    lab_fini(&lab);
}

static void a_missing_wal_loses_no_result(void **state)
{
    (void)state;
    struct lab lab;
    char path[128];
    lab_init(&lab);
    die_after(&lab, measure_one);
    (void)snprintf(path, sizeof path, "%s-wal", lab.path);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s-shm", lab.path);
    assert_int_equal(unlink(path), 0);
    check_ok(store_open(&lab.store, lab.path, STORE_WRITE, &why), why);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial"), 1);
    lab_fini(&lab);
}

static void a_reader_sees_the_store_while_it_is_written(void **state)
{
    (void)state;
    struct lab lab;
    struct store *reader = NULL;
    lab_open(&lab);
    lab_plan(&lab);
    check_ok(db_begin(lab.store->db, true, &why), why);
    check_ok(db_run(lab.store->db, "delete from tag", DB_NONE, NULL, &why),
             why);
    check_ok(store_open(&reader, lab.path, STORE_READ, &why), why);
    int64_t n = 0;
    check_ok(db_run(reader->db, "select count(*) from tag", DB_NONE, &n, &why),
             why);
    assert_int_equal(n, 2);
    check_ok(db_end(lab.store->db, ERR_OK, &why), why);
    check_ok(db_run(reader->db, "select count(*) from tag", DB_NONE, &n, &why),
             why);
    assert_int_equal(n, 0);
    store_close(reader);
    lab_fini(&lab);
}

static void a_plan_is_numbered_in_running_order(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    assert_int_equal(lab_int(&lab, "select count(*) from trial"), 10);
    /* Order 0 1 2 3 4, then 4 3 2 1 0: the second block starts with tid 6 and
     * the canary. */
    assert_int_equal(lab_int(&lab,
                             "select c.position from trial t join cell c on "
                             "c.id = t.cell where t.tid = 6"),
                     4);
    assert_int_equal(lab_int(&lab,
                             "select c.position from trial t join cell c on "
                             "c.id = t.cell where t.iteration = 2 and "
                             "t.position = 5"),
                     0);
    assert_int_equal(
        lab_int(&lab, "select seed = '18446744073709551615' and iterations = 2 "
                      "and warmup_ns = 1000000000 from experiment"),
        1);
    assert_int_equal(lab_int(&lab, "select count(*) from v_level where "
                                   "factor = 'link' and label = 'eth200'"),
                     2);
    assert_int_equal(
        lab_int(&lab, "select b.position from cell c join cell b "
                      "on b.id = c.canary_of where c.purpose = 'canary'"),
        0);
    lab_fini(&lab);
}

static void a_second_plan_of_the_same_uuid_writes_nothing(void **state)
{
    (void)state;
    struct lab lab;
    int64_t id = 0;
    static const char *const tags[] = {"no equals sign"};
    static const uint32_t order[] = {0};
    static const struct store_cell cell = {.label = ""};
    struct store_plan plan = {.uuid = "6f6a1a54-7d0c-4b3e-8a3c-0d5c5f1a9b11",
                              .name = "again",
                              .track = "t",
                              .challenge = "c",
                              .target = "pitwall",
                              .json = "{}",
                              .version = "0",
                              .order_kind = "blocks",
                              .cells = &cell,
                              .n_cells = 1,
                              .order = order,
                              .n_blocks = 1,
                              .benches = (const char *const[]){"other"},
                              .n_benches = 1,
                              .tags = tags};
    lab_open(&lab);
    lab_plan(&lab);
    check_err(store_plan_add(lab.store, &plan, &id, &why), ERR_EXISTS);
    check_says(why, "store the plan of \"again\"");
    plan.uuid = "6f6a1a54-7d0c-4b3e-8a3c-0d5c5f1a9b12";
    plan.n_tags = 1;
    check_err(store_plan_add(lab.store, &plan, &id, &why), ERR_INVALID);
    check_says(why, "no equals sign");
    assert_int_equal(lab_int(&lab, "select count(*) from experiment"), 1);
    assert_int_equal(lab_int(&lab, "select count(*) from bench"), 1);
    plan.n_tags = 0;
    check_ok(store_plan_add(lab.store, &plan, &id, &why), why);
    assert_int_equal(id, 2);
    lab_fini(&lab);
}

static void facts_are_lines_of_name_and_value(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    check_ok(store_facts_add(lab.store, lab.experiment, "here",
                             "kernel=6.1\n\ncongestion=a=b\n", &why),
             why);
    check_ok(
        store_facts_add(lab.store, lab.experiment, "here", "kernel=6.18", &why),
        why);
    assert_int_equal(lab_int(&lab, "select count(*) from host_fact"), 2);
    assert_int_equal(lab_int(&lab, "select value = '6.18' from host_fact "
                                   "where name = 'kernel'"),
                     1);
    assert_int_equal(lab_int(&lab, "select value = 'a=b' from host_fact "
                                   "where name = 'congestion'"),
                     1);
    check_err(store_facts_add(lab.store, lab.experiment, "here",
                              "cpus=2\nnonsense\n", &why),
              ERR_INVALID);
    check_says(why, "\"nonsense\" is not name=value");
    assert_int_equal(lab_int(&lab, "select count(*) from host_fact"), 2);
    lab_fini(&lab);
}

static void an_attempt_moves_forward_only(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    int64_t a = attempt_of(&lab, 3);
    check_ok(store_attempt_move(lab.store, a, ATTEMPT_PREPARING, &why), why);
    check_ok(store_attempt_move(lab.store, a, ATTEMPT_RUNNING, &why), why);
    check_ok(store_attempt_move(lab.store, a, ATTEMPT_RUNNING, &why), why);
    check_err(store_attempt_move(lab.store, a, ATTEMPT_ARMED, &why), ERR_STATE);
    check_says(why, "is running, not to become armed");
    check_err(store_attempt_move(lab.store, 99, ATTEMPT_ARMED, &why),
              ERR_NOTFOUND);
    /* planned, preparing, running: one row per change */
    assert_int_equal(lab_int(&lab, "select count(*) from attempt_move"), 3);
    assert_int_equal(
        lab_int(&lab, "select group_concat(state, ' ') = 'planned preparing "
                      "running' from (select state from attempt_move "
                      "order by n)"),
        1);
    lab_fini(&lab);
}

static void attempts_are_numbered_within_their_trial(void **state)
{
    (void)state;
    struct lab lab;
    int64_t attempt = 0;
    uint32_t n = 0;
    lab_open(&lab);
    lab_plan(&lab);
    (void)attempt_of(&lab, 1);
    check_ok(
        store_attempt_add(lab.store, lab.experiment, 1, &attempt, &n, &why),
        why);
    assert_int_equal(n, 2);
    check_ok(
        store_attempt_add(lab.store, lab.experiment, 2, &attempt, &n, &why),
        why);
    assert_int_equal(n, 1);
    check_err(
        store_attempt_add(lab.store, lab.experiment, 11, &attempt, &n, &why),
        ERR_NOTFOUND);
    check_says(why, "experiment 1 has no trial 11");
    lab_fini(&lab);
}

static void a_measured_attempt_is_chosen_a_failed_one_is_not(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    (void)lab_end(&lab, 1, OUTCOME_FAILED, NULL);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial"), 0);
    int64_t second = lab_end(&lab, 1, OUTCOME_OK, &spool);
    assert_int_equal(lab_int(&lab, "select attempt from trial where tid = 1"),
                     second);
    (void)lab_end(&lab, 1, OUTCOME_FAILED, &spool);
    (void)lab_end(&lab, 1, OUTCOME_ABORTED, NULL);
    assert_int_equal(lab_int(&lab, "select attempt from trial where tid = 1"),
                     second);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial_all where "
                                   "tid = 1"),
                     4);
    assert_int_equal(lab_int(&lab, "select error = 'agent here: gone' from "
                                   "attempt where n = 1"),
                     1);
    spooler_free(&spool);
    lab_fini(&lab);
}

static void an_out_of_memory_is_a_result_and_partial(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_end(&lab, 2, OUTCOME_OOM, NULL);
    assert_int_equal(lab_int(&lab, "select partial from v_trial where "
                                   "outcome = 'oom' and cell = "
                                   "'heap=256m,link=eth200'"),
                     1);
    lab_fini(&lab);
}

/* The driver acknowledged 2500, this target counted 2499. */
static void spool_invalid(struct spooler *spool)
{
    static const struct record_driver driver = {.engine = "raw",
                                                .docs_acked = 2500};
    static const struct record_task task = {
        .task = "index", .unit = "docs", .window_ns = 1000000000, .docs = 1};
    spooler_record(spool, SPOOL_LOAD, RECORD_IS_task, &task);
    spooler_record(spool, SPOOL_LOAD, RECORD_IS_driver, &driver);
    spooler_text(spool, SPOOL_TARGET_FINAL,
                 "{\"outcome\":\"ok\",\"total\":{\"docs\":2499}}");
}

static void an_invalid_attempt_gives_way_to_a_valid_one(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler good = {0}, bad = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&good);
    spool_invalid(&bad);
    int64_t first = lab_end(&lab, 1, OUTCOME_OK, &bad);
    assert_int_equal(lab_int(&lab, "select attempt from trial where tid = 1"),
                     first);
    assert_int_equal(lab_int(&lab, "select invalid from v_trial"), 1);
    int64_t second = lab_end(&lab, 1, OUTCOME_OK, &good);
    assert_int_equal(lab_int(&lab, "select attempt from trial where tid = 1"),
                     second);
    (void)lab_end(&lab, 1, OUTCOME_OK, &bad);
    assert_int_equal(lab_int(&lab, "select attempt from trial where tid = 1"),
                     second);
    spooler_free(&good);
    spooler_free(&bad);
    lab_fini(&lab);
}

static void an_attempt_is_stored_once(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    int64_t a = lab_end(&lab, 1, OUTCOME_FAILED, NULL);
    check_err(end(&lab, a, OUTCOME_OK, NULL), ERR_STATE);
    check_says(why, "is stored already");
    check_err(end(&lab, 77, OUTCOME_OK, NULL), ERR_NOTFOUND);
    assert_int_equal(lab_int(&lab, "select count(*) from attempt where "
                                   "state = 'stored' and outcome = 'failed'"),
                     1);
    lab_fini(&lab);
}

static void a_damaged_spool_stores_nothing_and_may_come_again(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    int64_t a = attempt_of(&lab, 1);
    spool.spool.data[spool.spool.len - 5] ^= 0x10;
    check_err(end(&lab, a, OUTCOME_OK, &spool.spool), ERR_CORRUPT);
    check_says(why, "checksum");
    assert_int_equal(lab_int(&lab, "select count(*) from metric"), 0);
    assert_int_equal(lab_int(&lab, "select count(*) from sample_link"), 0);
    assert_int_equal(lab_int(&lab, "select count(*) from attempt where "
                                   "state = 'planned'"),
                     1);
    spool.spool.data[spool.spool.len - 5] ^= 0x10;
    check_ok(end(&lab, a, OUTCOME_OK, &spool.spool), why);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial"), 1);
    spooler_free(&spool);
    lab_fini(&lab);
}

static void a_full_disk_stores_nothing_of_an_attempt(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    int64_t pages = 0;
    char sql[64];
    static const uint8_t log[30000];
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    spooler_bytes(&spool, SPOOL_GC_LOG, log, sizeof log);
    int64_t a = attempt_of(&lab, 1);
    check_ok(db_run(lab.store->db, "pragma page_count", DB_NONE, &pages, &why),
             why);
    (void)snprintf(sql, sizeof sql, "pragma max_page_count = %lld",
                   (long long)pages + 2);
    check_ok(db_run(lab.store->db, sql, DB_NONE, NULL, &why), why);
    check_err(end(&lab, a, OUTCOME_OK, &spool.spool), ERR_NOSPACE);
    check_says(why, "store attempt 1");
    assert_int_equal(lab_int(&lab, "select count(*) from metric"), 0);
    assert_int_equal(lab_int(&lab, "select count(*) from task"), 0);
    check_ok(db_run(lab.store->db, "pragma max_page_count = 100000", DB_NONE,
                    NULL, &why),
             why);
    check_ok(end(&lab, a, OUTCOME_OK, &spool.spool), why);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial"), 1);
    spooler_free(&spool);
    lab_fini(&lab);
}

static void an_experiment_ends_with_a_word_and_a_time(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    assert_int_equal(lab_int(&lab, "select state = 'running' and ended is "
                                   "null from experiment"),
                     1);
    check_ok(store_experiment_end(lab.store, 1, "interrupted", &why), why);
    assert_int_equal(lab_int(&lab, "select state = 'interrupted' and ended "
                                   ">= started from experiment"),
                     1);
    check_err(store_experiment_end(lab.store, 2, "finished", &why),
              ERR_NOTFOUND);
    check_says(why, "there is no experiment 2");
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_open_names_the_file_it_cannot_open),
        cmocka_unit_test(store_open_refuses_to_write_where_it_may_not),
        cmocka_unit_test(what_was_committed_outlives_a_killed_writer),
        cmocka_unit_test(a_missing_wal_loses_no_result),
        cmocka_unit_test(a_reader_sees_the_store_while_it_is_written),
        cmocka_unit_test(a_plan_is_numbered_in_running_order),
        cmocka_unit_test(a_second_plan_of_the_same_uuid_writes_nothing),
        cmocka_unit_test(facts_are_lines_of_name_and_value),
        cmocka_unit_test(an_attempt_moves_forward_only),
        cmocka_unit_test(attempts_are_numbered_within_their_trial),
        cmocka_unit_test(a_measured_attempt_is_chosen_a_failed_one_is_not),
        cmocka_unit_test(an_out_of_memory_is_a_result_and_partial),
        cmocka_unit_test(an_invalid_attempt_gives_way_to_a_valid_one),
        cmocka_unit_test(an_attempt_is_stored_once),
        cmocka_unit_test(a_damaged_spool_stores_nothing_and_may_come_again),
        cmocka_unit_test(a_full_disk_stores_nothing_of_an_attempt),
        cmocka_unit_test(an_experiment_ends_with_a_word_and_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
