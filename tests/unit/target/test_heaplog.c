#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/clock.h"
#include "target/heaplog.h"
#include "target/hiccup.h"
#include "tests/lib/check.h"

static char gc_path[] = "/tmp/pitwall-gc-XXXXXX";
static char alloc_path[] = "/tmp/pitwall-alloc-XXXXXX";

/* Lines of the file that contain the word. */
static unsigned count(const char *path, const char *word)
{
    char line[512];
    unsigned n = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        n += strstr(line, word) != NULL;
    (void)fclose(f);
    return n;
}

/* What the logs say is what the statistics count: 8 MiB has an eden of
 * 2,228,224 bytes; 400 arrays of 65,552 are 26 MB, 11 young collections. */
static void heaplog_writes_every_collection_and_allocation(void **state)
{
    (void)state;
    struct heaplog *log = NULL;
    struct heap *heap = NULL;
    struct why why = {0};
    check_ok(heaplog_open(&log, gc_path, alloc_path, clock_mono_ns(), &why),
             why);
    struct heap_config config = {.heap_bytes = 8u << 20,
                                 .sink = heaplog_sink(log)};
    check_ok(heap_new(&heap, &config, &why), why);
    check_ok(heaplog_start(log, heap, &why), why);
    struct mutator *m = heap_attach(heap, "worker");
    for (int i = 0; i < 400; i++)
        heap_release(m, heap_alloc(m, 65536));
    struct heap_stats s;
    heap_stats(heap, NULL, &s);
    heap_detach(m);
    heaplog_close(log);
    heap_free(heap);
    assert_true(s.young_count >= 10);
    assert_int_equal(count(gc_path, "] GC("), s.young_count * 5);
    assert_int_equal(count(gc_path, "Pause Young (Allocation Failure) "),
                     s.young_count);
    assert_int_equal(count(gc_path, "Using Serial"), 1);
    assert_int_equal(count(alloc_path, " worker tlab "), s.tlab_count);
    assert_int_equal(count(alloc_path, " worker outside 65552 0"),
                     s.outside_count);
    assert_int_equal(count(alloc_path, "lost"), 0);
}

static void heaplog_open_names_the_file_it_cannot_write(void **state)
{
    (void)state;
    struct heaplog *log = NULL;
    struct why why = {0};
    check_err(heaplog_open(&log, "/nowhere/gc.log", "", 0, &why), ERR_NOTFOUND);
    check_says(why, "--gc-log /nowhere/gc.log: No such file");
    assert_null(log);
}

static void on_gc(void *ctx, const struct heap_gc *gc)
{
    (void)ctx, (void)gc;
    clock_sleep_until(clock_mono_ns() + 30 * NS_PER_MS);
}

/* A collection that takes 30 ms (the sink sleeps while the world stands) is
 * felt: the thread wakes each millisecond, so it is at least 20 ms late. */
static void hiccup_feels_a_pause(void **state)
{
    (void)state;
    struct heap *heap = NULL;
    struct hiccup *h = NULL;
    struct window window;
    struct why why = {0};
    struct heap_sink sink = {.gc = on_gc};
    struct heap_config config = {.heap_bytes = 8u << 20, .sink = &sink};
    check_ok(heap_new(&heap, &config, &why), why);
    window_init(&window, 0);
    check_ok(hiccup_open(&h, heap, &window, &why), why);
    struct mutator *m = heap_attach(heap, "worker");
    for (int i = 0; i < 100; i++) /* 3 eden-fulls */
        heap_release(m, heap_alloc(m, 65536));
    heap_detach(m);
    hiccup_stop(h);
    assert_true(hiccup_hist(h)->max > 20 * NS_PER_MS);
    hiccup_close(h);
    heap_free(heap);
}

static int make_files(void **state)
{
    (void)state;
    int a = mkstemp(gc_path), b = mkstemp(alloc_path);
    return a < 0 || b < 0 || close(a) || close(b);
}

static int drop_files(void **state)
{
    (void)state;
    return unlink(gc_path) || unlink(alloc_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaplog_writes_every_collection_and_allocation),
        cmocka_unit_test(heaplog_open_names_the_file_it_cannot_write),
        cmocka_unit_test(hiccup_feels_a_pause),
    };
    return cmocka_run_group_tests(tests, make_files, drop_files);
}
