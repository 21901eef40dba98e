#include "target/gclog.h"
#include "tests/lib/check.h"

static const struct heap_stats sizes = {.heap_bytes =
                                            256u << 20, /* of a JVM of 256m */
                                        .eden_bytes = 71630848,
                                        .survivor_bytes = 8912896,
                                        .old_bytes = 178978816};

/* Lines as OpenJDK 17 prints them with -Xlog:gc*, -XX:+UseSerialGC.
 * Eden 71,630,848 / 1024 = 69,952K; with one survivor of 8,704K: 78,656K.
 * 256 MiB less a survivor of 8.5 MiB: 247.5, rounded 248M. Before: 68.3 MiB in
 * eden; after 8 MiB in a survivor and 1 MiB in old. */
static void gclog_lines_have_the_shape_of_unified_logging(void **state)
{
    (void)state;
    const struct heap_gc gc = {.kind = HEAP_GC_YOUNG,
                               .begin_ns = 5123000000,
                               .pause_ns = 12345000,
                               .eden_before_bytes = 71630848,
                               .survivor_after_bytes = 8388608,
                               .old_after_bytes = 1048576};
    char text[GCLOG_LINES_MAX + 1];
    size_t n = gclog_lines(&gc, 7, 5000000000, &sizes, text, GCLOG_LINES_MAX);
    text[n] = '\0';
    assert_string_equal(
        text,
        "[0.123s][info][gc,start] GC(7) Pause Young (Allocation Failure)\n"
        "[0.135s][info][gc,heap ] GC(7) DefNew: 69952K(78656K)->8192K(78656K) "
        "Eden: 69952K(69952K)->0K(69952K) From: 0K(8704K)->8192K(8704K)\n"
        "[0.135s][info][gc,heap ] GC(7) Tenured: 0K(174784K)->1024K(174784K)\n"
        "[0.135s][info][gc      ] GC(7) Pause Young (Allocation Failure) "
        "68M->9M(248M) 12.345ms\n"
        "[0.135s][info][gc,cpu  ] GC(7) User=0.01s Sys=0.00s Real=0.01s\n");
}

static void gclog_lines_tell_full_pauses_and_failed_promotion(void **state)
{
    (void)state;
    struct heap_gc gc = {.kind = HEAP_GC_OLD, .pause_ns = 50000000};
    char text[GCLOG_LINES_MAX + 1];
    size_t n = gclog_lines(&gc, 0, 0, &sizes, text, GCLOG_LINES_MAX);
    text[n] = '\0';
    assert_non_null(strstr(text, "Pause Full (Allocation Failure) 0M->0M"));
    assert_null(strstr(text, "Promotion failed"));
    gc.promotion_failed = true;
    n = gclog_lines(&gc, 0, 0, &sizes, text, GCLOG_LINES_MAX);
    text[n] = '\0';
    assert_non_null(strstr(text, "[gc      ] GC(0) Promotion failed\n"));
}

static void gclog_never_writes_past_its_buffer(void **state)
{
    (void)state;
    const struct heap_gc gc = {.kind = HEAP_GC_YOUNG};
    char text[GCLOG_LINES_MAX];
    for (size_t size = 1; size < 600; size++) {
        memset(text, 'x', sizeof text);
        assert_true(gclog_lines(&gc, 1, 0, &sizes, text, size) <= size);
        assert_int_equal(text[size], 'x');
    }
    assert_true(gclog_head(&sizes, text, sizeof text) > 40);
    assert_memory_equal(text, "[0.000s][info][gc      ] Using Serial\n", 37);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gclog_lines_have_the_shape_of_unified_logging),
        cmocka_unit_test(gclog_lines_tell_full_pauses_and_failed_promotion),
        cmocka_unit_test(gclog_never_writes_past_its_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
