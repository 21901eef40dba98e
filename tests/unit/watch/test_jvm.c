/* The process of the test stands for the JVM: it has a file of counters, and
 * takes no wishes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/watch/jvm.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/tree.h"
#include "tests/unit/watch/records.h"

#define FILE_MAX 65536u

static uint8_t recording[FILE_MAX], counters[FILE_MAX];
static size_t recording_bytes, counters_bytes;
static struct measure_window window;
static struct why why;

/* A folder to work in; what the watch of it would say. */
struct rig {
    char *root;
    struct jvm *jvm;
    int fds[2];
    struct emit emit;
    struct records *records;
    uint8_t ring[1u << 17];
};

static void put(const char *path, const uint8_t *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, data, len), len);
    (void)close(fd);
}

/* An entry has its name at 20, and at 16 where its value is. */
static void set_counter(uint64_t collections)
{
    char path[64];
    uint32_t place;
    static const char name[] = "sun.gc.collector.0.invocations";
    uint8_t *at = memmem(counters, counters_bytes, name, sizeof name);
    assert_non_null(at);
    memcpy(&place, at - 20 + 16, sizeof place);
    memcpy(at - 20 + place, &collections, sizeof collections);
    (void)snprintf(path, sizeof path, "hsperfdata_x/%d", (int)getpid());
    put(path, counters, counters_bytes);
}

/* The recording's first event is 19 ms after its start. */
static int begin(void **state)
{
    struct rig *r = calloc(1, sizeof *r);
    uint64_t wall_ns = clock_wall_ns() - 2 * NS_PER_S;
    const struct jvm_args args = {.proc_dir = "/proc", .tmp_dir = "."};
    window.t0_ns = clock_mono_ns() - 2 * NS_PER_S;
    window.begin_ns = window.t0_ns + 10 * NS_PER_MS;
    window.end_ns = window.t0_ns + 3600 * NS_PER_S;
    for (int i = 39; i >= 32; i--, wall_ns >>= 8)
        recording[i] = (uint8_t)wall_ns;
    r->root = tree_make();
    assert_int_equal(chdir(r->root), 0);
    assert_int_equal(mkdir("hsperfdata_x", 0700), 0);
    assert_int_equal(pipe2(r->fds, O_NONBLOCK), 0);
    emit_init(&r->emit, "target", r->fds[1], r->ring, sizeof r->ring);
    check_ok(jvm_open(&r->jvm, &args, &why), why);
    jvm_window(r->jvm, &window);
    *state = r;
    return 0;
}

static int end(void **state)
{
    struct rig *r = *state;
    assert_int_equal(chdir("/"), 0);
    jvm_close(r->jvm);
    emit_fini(&r->emit);
    (void)close(r->fds[0]);
    (void)close(r->fds[1]);
    tree_remove(r->root);
    free(r->records);
    free(r);
    return 0;
}

static const struct record_jvm *ends(struct rig *r)
{
    jvm_end(r->jvm, clock_mono_ns(), &r->emit);
    check_ok(child_pipe_flush(&r->emit.pipe, clock_mono_ns() + NS_PER_S, &why),
             why);
    r->records = records_read(r->fds[0]);
    const struct record *record = records_at(r->records, RECORD_IS_jvm, 0);
    assert_non_null(record);
    return &record->as.jvm;
}

static void log_pause(const struct rig *r, unsigned ms)
{
    tree_write(r->root, "gc.log",
               "[1.0s][%llums][info][gc] other\n"
               "[1.0s][%lluns][info][gc          ] GC(0) Pause Young (x) "
               "9M->1M(20M) %u.000ms\n[1.0s][",
               1ull, (unsigned long long)window.begin_ns + 1, ms);
}

static void jvm_tells_log_recording_and_counters_side_by_side(void **state)
{
    struct rig *r = *state;
    set_counter(11);
    jvm_prime(r->jvm);
    set_counter(14);
    log_pause(r, 5);
    put("recording.jfr", recording, recording_bytes);
    jvm_sample(r->jvm, 0, &r->emit);
    const struct record_jvm *j = ends(r);
    assert_int_equal(j->log, 1);
    assert_int_equal(j->log_young_count, 1);
    assert_int_equal(j->log_young_ns, 5000000);
    assert_int_equal(j->recording, 1);
    assert_int_equal(j->recording_bytes, recording_bytes);
    assert_int_equal(j->jfr_young_count, 8);
    assert_int_equal(j->outside_count, 124);
    const struct record *s = records_at(r->records, RECORD_IS_sample_jvm, 0);
    assert_int_equal(s->as.sample_jvm.young_count, 14 - 11);
    assert_int_equal(s->as.sample_jvm.heap_capacity, 5570560 + 11206656);
    const struct record *jit = records_at(r->records, RECORD_IS_sample_jit, 0);
    assert_int_equal(jit->as.sample_jit.second, -1); /* warm-up: 10 ms */
    assert_string_equal(records_fact(r->records, "jvm.collector"), "Copy:MSC");
    assert_non_null(
        strstr(records_fact(r->records, "jvm.attach"), "takes no wishes"));
}

/* One that has died left its chunks. */
static void jvm_reads_the_chunks_of_a_recording_without_an_end(void **state)
{
    struct rig *r = *state;
    put("recording.jfr", recording, 0);
    assert_int_equal(mkdir("recording", 0700), 0);
    assert_int_equal(mkdir("recording/2026_12_01_7", 0700), 0);
    put("recording/2026_12_01_7/a.jfr", recording, recording_bytes);
    put("recording/2026_12_01_7/b.jfr", recording, recording_bytes);
    put("recording/2026_12_01_7/c.jfr", recording, 60); /* just begun */
    const struct record_jvm *j = ends(r);
    assert_int_equal(j->recording, 1);
    assert_int_equal(j->outside_count, 2 * 124);
}

static void jvm_says_what_is_missing(void **state)
{
    struct rig *r = *state;
    jvm_prime(r->jvm);
    const struct record_jvm *j = ends(r);
    assert_int_equal(j->log + j->recording, 0);
    assert_string_equal(records_fact(r->records, "jvm.log"),
                        "gc.log: No such file or directory");
    assert_string_equal(records_fact(r->records, "jvm.recording"),
                        "recording: No such file or directory");
    assert_string_equal(records_fact(r->records, "jvm.counters"),
                        "no JVM of the target has any");
    assert_string_equal(records_fact(r->records, "jvm.attach"),
                        "no JVM was found");
}

/* The agent makes a hole where a log is beyond its cap. */
static void jvm_trusts_no_log_with_a_hole(void **state)
{
    struct rig *r = *state;
    static const uint8_t hole[100];
    log_pause(r, 5);
    int fd = open("gc.log", O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, hole, sizeof hole), sizeof hole);
    (void)close(fd);
    assert_int_equal(ends(r)->log, 0);
    assert_string_equal(records_fact(r->records, "jvm.log"),
                        "it was cut before it was read");
}

static void jvm_refuses_a_recording_that_begins_in_the_window(void **state)
{
    struct rig *r = *state;
    window.begin_ns -= 20 * NS_PER_MS;
    jvm_window(r->jvm, &window);
    put("recording.jfr", recording, recording_bytes);
    assert_int_equal(ends(r)->recording, 0);
    assert_non_null(strstr(records_fact(r->records, "jvm.recording"),
                           "its oldest part was dropped"));
}

static size_t load_one(const char *variable, uint8_t *to)
{
    FILE *in = fopen(getenv(variable), "rb");
    size_t n = in ? fread(to, 1, FILE_MAX, in) : 0;
    if (in)
        (void)fclose(in);
    return n;
}

static int load(void **state)
{
    (void)state;
    recording_bytes = load_one("PITWALL_RECORDING", recording);
    counters_bytes = load_one("PITWALL_COUNTERS", counters);
    return !recording_bytes || !counters_bytes;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(jvm_tells_log_recording_and_counters_side_by_side),
        CASE(jvm_reads_the_chunks_of_a_recording_without_an_end),
        CASE(jvm_says_what_is_missing),
        CASE(jvm_trusts_no_log_with_a_hole),
        CASE(jvm_refuses_a_recording_that_begins_in_the_window),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
