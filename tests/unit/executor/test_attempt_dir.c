#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/executor/attempt_dir.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

#define NAME "abc-1-1"

static bool there(const struct scratch *s, const char *name)
{
    struct stat st;
    return !fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW);
}

/* An attempt with two records, sealed as ok unless left open. */
static struct manifest make(const struct scratch *s, bool seal)
{
    struct manifest m = {.outcome = OUTCOME_OK};
    struct spool_file f;
    struct why why;
    int dir, spool;
    check_ok(attempt_dir_create(s->fd, NAME, &dir, &spool, &why), why);
    spool_file_init(&f, spool);
    check_ok(spool_file_append(&f, SPOOL_LOAD, "one", 3, &why), why);
    check_ok(spool_file_append(&f, SPOOL_LOAD, "three", 5, &why), why);
    m.records = f.records;
    m.bytes = f.bytes;
    m.crc = f.crc;
    if (seal)
        check_ok(attempt_dir_seal(dir, &f, &m, &why), why);
    (void)close(spool);
    (void)close(dir);
    return m;
}

static void attempt_dir_names_the_folder(void **state)
{
    struct attempt_id id = {.eid = "0f3c1d6e-AB", .tid = 12, .att = 3};
    char name[ATTEMPT_DIR_NAME_MAX];
    struct why why;
    (void)state;
    check_ok(attempt_dir_name(&id, name, &why), why);
    assert_string_equal(name, "0f3c1d6e-AB-12-3");
}

static void attempt_dir_refuses_names_that_lead_elsewhere(void **state)
{
    static const struct attempt_id bad[] = {
        {"", 1, 1},    {"../x", 1, 1}, {"a/b", 1, 1}, {"a.b", 1, 1},
        {"a b", 1, 1}, {"a", 0, 1},    {"a", 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char name[ATTEMPT_DIR_NAME_MAX];
        struct why why;
        check_err(attempt_dir_name(&bad[i], name, &why), ERR_INVALID);
    }
    struct attempt_id endless = {.tid = 1, .att = 1};
    char name[ATTEMPT_DIR_NAME_MAX];
    struct why why;
    memset(endless.eid, 'a', sizeof endless.eid);
    check_err(attempt_dir_name(&endless, name, &why), ERR_INVALID);
}

static void attempt_dir_is_made_once(void **state)
{
    const struct scratch *s = *state;
    struct why why;
    int dir, spool;
    (void)make(s, false);
    check_err(attempt_dir_create(s->fd, NAME, &dir, &spool, &why), ERR_EXISTS);
    assert_int_equal(dir, -1);
    assert_int_equal(spool, -1);
    assert_true(there(s, NAME "/work"));
}

static void attempt_dir_sealed_tells_its_manifest(void **state)
{
    const struct scratch *s = *state;
    enum attempt_state st;
    struct manifest made = make(s, true), m;
    struct why why;
    check_ok(attempt_dir_look(s->fd, NAME, &st, &m, &why), why);
    assert_int_equal(st, ATTEMPT_SEALED);
    assert_int_equal(m.outcome, OUTCOME_OK);
    assert_int_equal(m.bytes, made.bytes);
    assert_int_equal(m.crc, made.crc);
    assert_false(there(s, NAME "/work"));
}

static void attempt_dir_unsealed_or_absent_is_not_found(void **state)
{
    const struct scratch *s = *state;
    enum attempt_state st;
    struct manifest m;
    struct why why;
    int fd;
    check_err(attempt_dir_look(s->fd, NAME, &st, &m, &why), ERR_NOTFOUND);
    (void)make(s, false);
    check_err(attempt_dir_look(s->fd, NAME, &st, &m, &why), ERR_NOTFOUND);
    check_err(attempt_dir_open_spool(s->fd, NAME, &fd, &why), ERR_NOTFOUND);
    assert_int_equal(fd, -1);
}

static void attempt_dir_gives_the_spool_for_reading(void **state)
{
    const struct scratch *s = *state;
    struct manifest m = make(s, true);
    struct why why;
    char buf[100];
    int fd;
    check_ok(attempt_dir_open_spool(s->fd, NAME, &fd, &why), why);
    assert_int_equal(read(fd, buf, sizeof buf), (ssize_t)m.bytes);
    assert_int_equal(write(fd, "x", 1), -1);
    (void)close(fd);
}

static void attempt_dir_acknowledged_leaves_a_tombstone(void **state)
{
    const struct scratch *s = *state;
    enum attempt_state st;
    struct manifest m = make(s, true), after;
    struct why why;
    int fd;
    check_err(attempt_dir_ack(s->fd, NAME, m.bytes + 1, m.crc, &why),
              ERR_INVALID);
    check_says(why, "attempt abc-1-1: acknowledged are 49 bytes");
    check_err(attempt_dir_ack(s->fd, NAME, m.bytes, ~m.crc, &why), ERR_INVALID);
    assert_true(there(s, NAME "/spool"));
    check_ok(attempt_dir_ack(s->fd, NAME, m.bytes, m.crc, &why), why);
    assert_false(there(s, NAME "/spool"));
    check_ok(attempt_dir_ack(s->fd, NAME, m.bytes, m.crc, &why), why);
    check_ok(attempt_dir_look(s->fd, NAME, &st, &after, &why), why);
    assert_int_equal(st, ATTEMPT_STORED);
    check_err(attempt_dir_open_spool(s->fd, NAME, &fd, &why), ERR_STATE);
    check_says(why, "is stored and its spool deleted");
}

static void attempt_dir_not_sealed_is_not_acknowledged(void **state)
{
    const struct scratch *s = *state;
    struct manifest m = make(s, false);
    struct why why;
    check_err(attempt_dir_ack(s->fd, NAME, m.bytes, m.crc, &why), ERR_STATE);
    check_err(attempt_dir_ack(s->fd, "no-1-1", 1, 1, &why), ERR_NOTFOUND);
}

/* Recovery --------------------------------------------------------------------
 */

static void recovers(const struct scratch *s, unsigned want)
{
    unsigned sealed;
    struct why why;
    check_ok(attempt_dir_recover(s->fd, &sealed, &why), why);
    assert_int_equal(sealed, want);
}

static void attempt_dir_recovery_seals_the_unsealed_as_aborted(void **state)
{
    const struct scratch *s = *state;
    enum attempt_state st;
    struct manifest made = make(s, false), m;
    struct why why;
    recovers(s, 1);
    check_ok(attempt_dir_look(s->fd, NAME, &st, &m, &why), why);
    assert_int_equal(m.outcome, OUTCOME_ABORTED);
    assert_string_equal(m.text, "the agent ended during the attempt");
    assert_int_equal(m.records, 2);
    assert_int_equal(m.bytes, made.bytes);
    assert_int_equal(m.crc, made.crc);
    assert_false(there(s, NAME "/work"));
    recovers(s, 0);
}

/* The target's log stands in work/, where a killed executor left it. */
static void attempt_dir_recovery_saves_the_gc_log(void **state)
{
    const struct scratch *s = *state;
    enum attempt_state st;
    struct manifest made = make(s, false), m;
    struct why why;
    static const char log[] = "[0.1s] GC(0) Pause Young\n";
    scratch_write(s, NAME "/work/gc.log", log, strlen(log));
    recovers(s, 1);
    check_ok(attempt_dir_look(s->fd, NAME, &st, &m, &why), why);
    assert_int_equal(m.records, 2 + 1);
    assert_int_equal(m.bytes, made.bytes + 20 + strlen(log));
    char spool[512];
    scratch_read(s, NAME "/spool", spool, sizeof spool);
    assert_memory_equal(spool + made.bytes + 20, log, strlen(log));
    assert_false(there(s, NAME "/work"));
}

static void attempt_dir_recovery_cuts_a_torn_record_at_every_byte(void **state)
{
    const struct scratch *s = *state;
    /* 20 + 3 and 20 + 5 bytes: whole records end at 0, 23 and 48. */
    for (off_t cut = 0; cut <= 48; cut++) {
        enum attempt_state st;
        struct manifest m;
        struct stat file;
        struct why why;
        (void)make(s, false);
        int fd = openat(s->fd, NAME "/spool", O_RDWR | O_CLOEXEC);
        assert_int_equal(ftruncate(fd, cut), 0);
        (void)close(fd);
        recovers(s, 1);
        check_ok(attempt_dir_look(s->fd, NAME, &st, &m, &why), why);
        assert_int_equal(m.bytes, cut < 23 ? 0 : cut < 48 ? 23 : 48);
        assert_int_equal(fstatat(s->fd, NAME "/spool", &file, 0), 0);
        assert_int_equal(file.st_size, m.bytes);
        check_ok(attempt_dir_ack(s->fd, NAME, m.bytes, m.crc, &why), why);
        assert_int_equal(unlinkat(s->fd, NAME "/stored", 0), 0);
        assert_int_equal(unlinkat(s->fd, NAME, AT_REMOVEDIR), 0);
    }
}

static void attempt_dir_recovery_seals_a_folder_without_a_spool(void **state)
{
    const struct scratch *s = *state;
    enum attempt_state st;
    struct manifest m;
    struct why why;
    assert_int_equal(mkdirat(s->fd, NAME, 0700), 0);
    recovers(s, 1);
    check_ok(attempt_dir_look(s->fd, NAME, &st, &m, &why), why);
    assert_int_equal(m.bytes, 0);
}

static void
attempt_dir_recovery_seals_anew_over_a_damaged_manifest(void **state)
{
    const struct scratch *s = *state;
    enum attempt_state st;
    struct manifest m;
    struct why why;
    (void)make(s, true);
    scratch_write(s, NAME "/manifest", "torn", 4);
    check_err(attempt_dir_look(s->fd, NAME, &st, &m, &why), ERR_CORRUPT);
    recovers(s, 1);
    check_ok(attempt_dir_look(s->fd, NAME, &st, &m, &why), why);
    assert_int_equal(m.records, 2);
}

static void attempt_dir_recovery_finishes_a_deletion(void **state)
{
    const struct scratch *s = *state;
    (void)make(s, true);
    /* As if killed between the rename and the unlink. */
    assert_int_equal(renameat(s->fd, NAME "/manifest", s->fd, NAME "/stored"),
                     0);
    recovers(s, 0);
    assert_false(there(s, NAME "/spool"));
    assert_true(there(s, NAME "/stored"));
}

static void attempt_dir_recovery_drops_tombstones_after_a_week(void **state)
{
    const struct scratch *s = *state;
    struct manifest m = make(s, true);
    struct why why;
    check_ok(attempt_dir_ack(s->fd, NAME, m.bytes, m.crc, &why), why);
    struct timespec week[2] = {{.tv_sec = time(NULL) - 7 * 24 * 3600 + 60},
                               {.tv_sec = time(NULL) - 7 * 24 * 3600 + 60}};
    assert_int_equal(utimensat(s->fd, NAME "/stored", week, 0), 0);
    recovers(s, 0);
    assert_true(there(s, NAME));
    week[1].tv_sec -= 120;
    assert_int_equal(utimensat(s->fd, NAME "/stored", week, 0), 0);
    recovers(s, 0);
    assert_false(there(s, NAME));
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempt_dir_names_the_folder),
        cmocka_unit_test(attempt_dir_refuses_names_that_lead_elsewhere),
        IN_SCRATCH(attempt_dir_is_made_once),
        IN_SCRATCH(attempt_dir_sealed_tells_its_manifest),
        IN_SCRATCH(attempt_dir_unsealed_or_absent_is_not_found),
        IN_SCRATCH(attempt_dir_gives_the_spool_for_reading),
        IN_SCRATCH(attempt_dir_acknowledged_leaves_a_tombstone),
        IN_SCRATCH(attempt_dir_not_sealed_is_not_acknowledged),
        IN_SCRATCH(attempt_dir_recovery_seals_the_unsealed_as_aborted),
        IN_SCRATCH(attempt_dir_recovery_saves_the_gc_log),
        IN_SCRATCH(attempt_dir_recovery_cuts_a_torn_record_at_every_byte),
        IN_SCRATCH(attempt_dir_recovery_seals_a_folder_without_a_spool),
        IN_SCRATCH(attempt_dir_recovery_seals_anew_over_a_damaged_manifest),
        IN_SCRATCH(attempt_dir_recovery_finishes_a_deletion),
        IN_SCRATCH(attempt_dir_recovery_drops_tombstones_after_a_week),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
