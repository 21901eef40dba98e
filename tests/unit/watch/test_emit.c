#include <stdlib.h>
#include <unistd.h>

#include "agent/watch/emit.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/records.h"

static void emit_writes_records_that_read_back(void **state)
{
    (void)state;
    int fds[2];
    uint8_t ring[4096];
    struct emit e;
    assert_int_equal(pipe(fds), 0);
    emit_init(&e, "load", fds[1], ring, sizeof ring);
    struct record_sample_cpu cpu = {.second = -1, .user_ns = 12};
    emit_side(&e, cpu.side);
    emit_record(&e, RECORD_IS_sample_cpu, &cpu);
    emit_fact(&e, "mtu.lo", "65536");
    emit_count(&e, "watch.missed", UINT64_MAX);
    struct records *r = records_read(fds[0]);
    assert_int_equal(r->n, 3);
    assert_int_equal(r->all[0].as.sample_cpu.second, -1);
    assert_int_equal(r->all[0].as.sample_cpu.user_ns, 12);
    assert_string_equal(r->all[0].as.sample_cpu.side, "load");
    assert_string_equal(records_fact(r, "mtu.lo"), "65536");
    assert_string_equal(records_fact(r, "watch.missed"),
                        "18446744073709551615");
    assert_int_equal(e.pipe.blocked + e.failed, 0);
    free(r);
    emit_fini(&e);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

static void emit_counts_what_finds_no_room_and_never_waits(void **state)
{
    (void)state;
    int fds[2];
    uint8_t ring[256];
    struct emit e;
    assert_int_equal(pipe(fds), 0);
    emit_init(&e, "target", fds[1], ring, sizeof ring);
    for (int i = 0; i < 20000; i++) /* more than pipe and ring hold */
        emit_fact(&e, "name", "value");
    assert_true(e.pipe.blocked > 0);
    assert_int_equal(e.pipe.blocked + e.pipe.records, 20000);
    emit_fini(&e);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

static void emit_fact_cuts_a_long_value(void **state)
{
    (void)state;
    int fds[2];
    uint8_t ring[4096];
    char value[3000];
    struct emit e;
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    assert_int_equal(pipe(fds), 0);
    emit_init(&e, "target", fds[1], ring, sizeof ring);
    emit_fact(&e, "name", value);
    struct records *r = records_read(fds[0]);
    assert_int_equal(strlen(records_fact(r, "name")), 1024);
    free(r);
    emit_fini(&e);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emit_writes_records_that_read_back),
        cmocka_unit_test(emit_counts_what_finds_no_room_and_never_waits),
        cmocka_unit_test(emit_fact_cuts_a_long_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
