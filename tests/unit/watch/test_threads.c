#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/watch/threads.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/tree.h"

#define PID 12

struct world {
    char *root;
    DIR *tasks;
    struct threads threads;
};

static void put(const struct world *w, int tid, const char *comm,
                unsigned run_ns, unsigned wait_ns)
{
    char path[48];
    (void)snprintf(path, sizeof path, "%d/schedstat", tid);
    tree_write(w->root, path, "%u %u 9\n", run_ns, wait_ns);
    (void)snprintf(path, sizeof path, "%d/comm", tid);
    tree_write(w->root, path, "%s\n", comm);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->root = tree_make();
    put(w, 12, "main", 100, 10);
    put(w, 13, "bulk-0", 200, 20);
    w->tasks = opendir(w->root);
    assert_non_null(w->tasks);
    threads_init(&w->threads);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    threads_fini(&w->threads);
    (void)closedir(w->tasks);
    tree_remove(w->root);
    free(w);
    return 0;
}

static struct threads_sum look(struct world *w, uint64_t n, bool base)
{
    struct threads_sum sum;
    threads_look(&w->threads, PID, w->tasks, n, base, &sum);
    return sum;
}

static void threads_parse_wants_three_numbers(void **state)
{
    (void)state;
    uint64_t run_ns = 0, wait_ns = 0;
    static const char good[] = "1417678 25 1\n";
    assert_true(threads_parse(good, sizeof good - 1, &run_ns, &wait_ns));
    assert_int_equal(run_ns, 1417678);
    assert_int_equal(wait_ns, 25);
    static const char *const bad[] = {"", "1 2", "1 x 3\n", "-1 2 3\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(threads_parse(bad[i], strlen(bad[i]), &run_ns, &wait_ns));
}

static void threads_tell_who_had_a_cpu_for_longest(void **state)
{
    struct world *w = *state;
    (void)look(w, 2, true);
    put(w, 12, "main", 150, 130);   /* 50 and 120 */
    put(w, 13, "bulk-0", 260, 105); /* 60 and 85 */
    struct threads_sum sum = look(w, 2, false);
    assert_int_equal(sum.wait_ns, 120 + 85);
    assert_int_equal(sum.top_ns, 60);
    assert_int_equal(sum.top_wait_ns, 85);
    assert_string_equal(sum.top, "bulk-0");
    sum = look(w, 2, false); /* nothing since */
    assert_int_equal(sum.wait_ns + sum.top_ns + sum.top_wait_ns, 0);
    assert_string_equal(sum.top, "");
}

static void threads_that_came_later_count_from_their_start(void **state)
{
    struct world *w = *state;
    (void)look(w, 2, true);
    put(w, 14, "bulk-1", 400, 0);
    struct threads_sum sum = look(w, 3, false);
    assert_int_equal(sum.top_ns, 400);
    assert_string_equal(sum.top, "bulk-1");
    assert_int_equal(w->threads.n, 3);
}

static void threads_of_another_process_are_let_alone(void **state)
{
    struct world *w = *state;
    (void)look(w, 2, true);
    struct threads_sum sum;
    threads_look(&w->threads, 99, w->tasks, 2, true, &sum);
    assert_int_equal(w->threads.n, 4);
    threads_forget(&w->threads, PID);
    assert_int_equal(w->threads.n, 2);
    assert_int_equal(w->threads.of[0].pid, 99);
}

static void threads_beyond_their_room_are_counted(void **state)
{
    struct world *w = *state;
    for (int tid = 100; tid < 100 + THREADS_MAX; tid++)
        put(w, tid, "x", 1, 0);
    (void)look(w, THREADS_MAX + 2, true);
    (void)look(w, THREADS_MAX + 2, false);
    assert_int_equal(w->threads.n, THREADS_MAX);
    assert_int_equal(w->threads.beyond, 2);
}

static void threads_are_found_in_the_real_proc(void **state)
{
    struct world *w = *state;
    DIR *own = opendir("/proc/self/task");
    struct threads_sum sum;
    assert_non_null(own);
    threads_look(&w->threads, (uint64_t)getpid(), own, 1, false, &sum);
    assert_true(w->threads.n >= 1);
    assert_true(sum.top_ns > 0);
    (void)closedir(own);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_parse_wants_three_numbers),
        CASE(threads_tell_who_had_a_cpu_for_longest),
        CASE(threads_that_came_later_count_from_their_start),
        CASE(threads_of_another_process_are_let_alone),
        CASE(threads_beyond_their_room_are_counted),
        CASE(threads_are_found_in_the_real_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
