#include <stdio.h>
#include <string.h>

#include "agent/watch/gclog.h"
#include "tests/lib/check.h"

static struct gclog_line line;

static bool reads(const char *text)
{
    return gclog_parse(scan_text(text, strlen(text)), &line);
}

static void gclog_pauses_have_length_sizes_and_generation(void **state)
{
    (void)state;
    assert_true(reads("[6.600s][23466957170188ns][info][gc          ] GC(12) "
                      "Pause Young (Allocation Failure) 68M->5M(247M) "
                      "28.273ms"));
    assert_int_equal(line.kind, GCLOG_PAUSE);
    assert_false(line.old);
    assert_int_equal(line.at_ns, 23466957170188);
    assert_int_equal(line.gc, 12);
    assert_int_equal(line.ns, 28273000);
    assert_int_equal(line.before_bytes, 68 << 20);
    assert_int_equal(line.after_bytes, 5 << 20);
    assert_true(reads("[1.0s][7ns][info][gc             ] GC(103) Pause Full "
                      "(Allocation Failure) 2G->512K(4G) 0.007ms"));
    assert_true(line.old);
    assert_int_equal(line.ns, 7000);
    assert_int_equal(line.before_bytes, 2ll << 30);
    assert_int_equal(line.after_bytes, 512 << 10);
}

static void gclog_knows_each_collectors_pauses(void **state)
{
    static const struct {
        const char *text;
        enum gclog_kind kind;
        bool old;
    } cases[] = {
        {"[gc] GC(1) Pause Young (Concurrent Start) (G1 Evacuation Pause) "
         "104M->81M(128M) 2.213ms",
         GCLOG_PAUSE, false},
        {"[gc          ] GC(102) Pause Remark 81M->36M(128M) 0.458ms",
         GCLOG_PAUSE, true},
        {"[gc,phases   ] GC(4) Pause Mark End 0.014ms", GCLOG_PAUSE, true},
        {"[gc] GC(0) Pause Init Mark (unload classes) 0.041ms", GCLOG_PAUSE,
         true},
        {"[gc          ] GC(13) Concurrent Mark Cycle 9.883ms",
         GCLOG_CONCURRENT, true}};
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void)snprintf(text, sizeof text, "[0.1s][5ns][info]%s", cases[i].text);
        assert_true(reads(text));
        assert_int_equal(line.kind, cases[i].kind);
        assert_int_equal(line.old, cases[i].old);
    }
}

static void gclog_safepoints_tell_what_reaching_them_took(void **state)
{
    (void)state;
    assert_true(
        reads("[8.6s][9ns][info][safepoint   ] Safepoint \"Cleanup\", Time "
              "since last: 1000154539 ns, Reaching safepoint: 25904 ns, "
              "Cleanup: 34109 ns, At safepoint: 5699 ns, Total: 65712 ns"));
    assert_int_equal(line.kind, GCLOG_SAFEPOINT);
    assert_int_equal(line.ns, 65712);
    assert_int_equal(line.wait_ns, 25904);
    assert_true(reads("[2.3s][9ns][info][safepoint] Total time for which "
                      "application threads were stopped: 0.0012345 seconds, "
                      "Stopping threads took: 0.0000456 seconds"));
    assert_int_equal(line.ns, 1234500);
    assert_int_equal(line.wait_ns, 45600);
}

static void gclog_passes_over_what_is_none_of_these(void **state)
{
    static const char *const others[] = {
        "",
        "[",
        "[6.5s]",
        "[6.5s][9ns][info][gc,start    ] GC(0) Pause Young (Normal)",
        "[6.5s][9ns][info][gc,marking  ] GC(102) Concurrent Mark 6.574ms",
        "[6.5s][9ns][info][gc,heap     ] GC(0) Tenured: 0K(1K)->0K(1K)",
        "[6.5s][9ns][info][gc          ] GC(0) Pause Young (x) 68M->5M(7M)",
        "[6.5s][9ns][info][gc          ] Using Serial",
        "[6.5s][info][gc          ] GC(0) Pause Young (x) 1M->1M(7M) 1.000ms",
        "[6.5s][99999999999999999999ns][info][gc] GC(0) Pause Full 1.0ms",
        "[6.5s][9ns][info][gc] GC(0) Pause Full 99999999999999999.0ms",
        "[warning][gc] log cut: the first 1 of its 2 bytes are kept"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(reads(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gclog_pauses_have_length_sizes_and_generation),
        cmocka_unit_test(gclog_knows_each_collectors_pauses),
        cmocka_unit_test(gclog_safepoints_tell_what_reaching_them_took),
        cmocka_unit_test(gclog_passes_over_what_is_none_of_these),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
