#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/watch/cage.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/tree.h"
#include "tests/unit/watch/records.h"

#define SECOND 3

/* A cage over a folder, and where its samples go. */
struct world {
    char *root;
    int fds[2];
    uint8_t ring[65536];
    struct emit emit;
    struct cage cage;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->root = tree_make();
    assert_int_equal(pipe(w->fds), 0);
    emit_init(&w->emit, "target", w->fds[1], w->ring, sizeof w->ring);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    cage_close(&w->cage);
    emit_fini(&w->emit);
    (void)close(w->fds[0]);
    (void)close(w->fds[1]);
    tree_remove(w->root);
    free(w);
    return 0;
}

static void put(struct world *w, int pid, const char *comm, int pgrp,
                unsigned user)
{
    char path[32];
    (void)snprintf(path, sizeof path, "%d/stat", pid);
    tree_write(w->root, path,
               "%d (%s) S 1 %d 0 0 -1 0 0 0 4 0 %u 20 0 0 20 0 3 0 9 0 100 0\n",
               pid, comm, pgrp, user);
}

static struct records *sample(struct world *w)
{
    cage_sample(&w->cage, SECOND, &w->emit);
    return records_read(w->fds[0]);
}

static const struct record_sample_proc *named(const struct records *r,
                                              const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->all[i].as.sample_proc.name, name))
            return &r->all[i].as.sample_proc;
    return NULL;
}

static void cage_samples_differences_since_the_base(void **state)
{
    struct world *w = *state;
    put(w, 12, "pitwall-target", 1, 500);
    cage_open(&w->cage, w->root, false);
    cage_prime(&w->cage);
    put(w, 12, "pitwall-target", 1, 507);
    struct records *r = sample(w);
    const struct record_sample_proc *p = named(r, "target");
    assert_int_equal(r->n, 1);
    assert_non_null(p);
    assert_int_equal(p->second, SECOND);
    assert_string_equal(p->side, "target");
    assert_int_equal(p->user_ns, 7 * w->cage.tick_ns);
    assert_int_equal(p->system_ns, 0);
    assert_int_equal(p->rss_bytes, 100 * w->cage.page_bytes);
    assert_int_equal(p->threads, 3);
    assert_int_equal(p->majflt, 0);
    free(r);
}

static void cage_tells_a_process_by_its_busiest_thread(void **state)
{
    struct world *w = *state;
    put(w, 12, "pitwall-target", 1, 500);
    tree_write(w->root, "12/task/12/schedstat", "1000 10 1\n");
    tree_write(w->root, "12/task/13/schedstat", "5000 20 1\n");
    tree_write(w->root, "12/task/14/schedstat", "0 0 1\n");
    tree_write(w->root, "12/task/13/comm", "bulk-0\n");
    cage_open(&w->cage, w->root, false);
    cage_prime(&w->cage);
    tree_write(w->root, "12/task/12/schedstat", "1100 15 1\n");
    tree_write(w->root, "12/task/13/schedstat", "5300 60 1\n");
    struct records *r = sample(w);
    const struct record_sample_proc *p = named(r, "target");
    assert_non_null(p);
    assert_string_equal(p->top, "bulk-0");
    assert_int_equal(p->top_ns, 300);
    assert_int_equal(p->top_wait_ns, 40);
    assert_int_equal(p->wait_ns, 45);
    free(r);
}

static void cage_takes_all_of_a_process_that_began_later(void **state)
{
    struct world *w = *state;
    cage_open(&w->cage, w->root, false);
    cage_prime(&w->cage);
    put(w, 12, "nginx", 1, 30);
    struct records *r = sample(w);
    assert_non_null(named(r, "nginx.12"));
    assert_int_equal(named(r, "nginx.12")->user_ns, 30 * w->cage.tick_ns);
    assert_int_equal(named(r, "nginx.12")->majflt, 4);
    free(r);
}

static void cage_names_our_programs_once_and_leaves_out_its_init(void **state)
{
    struct world *w = *state;
    put(w, 1, "pitwall-agent", 1, 0);
    put(w, 2, "pitwall-load", 1, 0);
    put(w, 3, "pitwall-load", 1, 0);
    put(w, 4, "pitwall-watch", 1, 0);
    put(w, 5, "pitwall-x", 1, 0);
    tree_write(w->root, "self/stat", "not a process");
    cage_open(&w->cage, w->root, false);
    struct records *r = sample(w);
    assert_int_equal(r->n, 4);
    assert_non_null(named(r, "load"));
    assert_non_null(named(r, "watch"));
    assert_non_null(named(r, "pitwall-x.5"));
    /* The folder's order decides which of the two is "load". */
    assert_true(named(r, "pitwall-load.2") || named(r, "pitwall-load.3"));
    free(r);
}

static void cage_watches_only_its_own_group_where_it_is_told_to(void **state)
{
    struct world *w = *state;
    put(w, 1, "pitwall-load", (int)getpgrp(), 0);
    put(w, 2, "other", (int)getpgrp() + 1, 0);
    cage_open(&w->cage, w->root, true);
    struct records *r = sample(w);
    assert_int_equal(r->n, 1);
    assert_non_null(named(r, "load"));
    free(r);
}

static void cage_passes_over_what_is_no_process(void **state)
{
    struct world *w = *state;
    tree_write(w->root, "7/stat", "7 (broken");
    tree_write(w->root, "8/status", "no stat here");
    cage_open(&w->cage, w->root, false);
    cage_prime(&w->cage);
    struct records *r = sample(w);
    assert_int_equal(r->n, 0);
    free(r);
}

static void cage_counts_processes_beyond_its_room(void **state)
{
    struct world *w = *state;
    for (int pid = 2; pid < 2 + CAGE_MAX + 3; pid++)
        put(w, pid, "x", 1, 0);
    cage_open(&w->cage, w->root, false);
    cage_prime(&w->cage);
    assert_int_equal(w->cage.n, CAGE_MAX);
    assert_int_equal(w->cage.beyond, 3);
}

static void cage_lets_go_of_a_process_that_ended(void **state)
{
    struct world *w = *state;
    pid_t child = fork();
    if (!child) {
        for (;;)
            (void)pause();
    }
    cage_open(&w->cage, "/proc", true);
    cage_prime(&w->cage);
    size_t with = w->cage.n;
    assert_true(with >= 2); /* this test and its child, at least */
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    struct records *r = sample(w);
    assert_true(r->n < with);
    assert_int_equal(w->cage.n, r->n);
    free(r);
}

static void cage_without_proc_is_empty(void **state)
{
    struct world *w = *state;
    cage_open(&w->cage, "/nonexistent", false);
    cage_prime(&w->cage);
    struct records *r = sample(w);
    assert_int_equal(r->n, 0);
    free(r);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(cage_samples_differences_since_the_base),
        CASE(cage_tells_a_process_by_its_busiest_thread),
        CASE(cage_takes_all_of_a_process_that_began_later),
        CASE(cage_names_our_programs_once_and_leaves_out_its_init),
        CASE(cage_watches_only_its_own_group_where_it_is_told_to),
        CASE(cage_passes_over_what_is_no_process),
        CASE(cage_counts_processes_beyond_its_room),
        CASE(cage_lets_go_of_a_process_that_ended),
        CASE(cage_without_proc_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
