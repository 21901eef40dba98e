#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tracks/plan.h"
#include "tracks/track.h"

static const char *const tracks[] = {"geonames",  "nyc_taxis", "pmc",
                                     "http_logs", "mixed",     "mixed-split",
                                     "headers"};
static const char *const challenges[] = {
    "append-no-conflicts", "append-no-conflicts-index-only",
    "append-and-search", "append-and-info"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct plan *plan_of(const char *name, const char *challenge,
                            const struct track_param *params, size_t n)
{
    const struct track_options options = {.challenge = challenge};
    struct track *t;
    struct plan *p;
    struct why why = {0};
    char path[200], *json;
    (void)snprintf(path, sizeof path, SHIPPED_TRACKS "/%s.json", name);
    check_ok(track_open(&t, path, params, n, &why), why);
    for (size_t i = 0; i < COUNT(challenges); i++)
        assert_string_equal(track_challenge(t, i), challenges[i]);
    assert_null(track_challenge(t, COUNT(challenges)));
    check_ok(track_render(t, &options, &json, &why), why);
    check_ok(plan_parse(&p, json, strlen(json), &why), why);
    free(json);
    track_close(t);
    return p;
}

static const struct plan_task *task_of(const struct plan *p, const char *name)
{
    const struct plan_step *s = &p->steps[p->measured];
    for (size_t i = 0; i < s->n_tasks; i++)
        if (!strcmp(s->tasks[i].name, name))
            return &s->tasks[i];
    return NULL;
}

/* As the seeds show it: 8 clients append, in a loop; beside them a search 20
 * times a second, or a question for nothing 100 times a second. */
static void shipped_tracks_have_the_four_challenges(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT(tracks); t++)
        for (size_t c = 0; c < COUNT(challenges); c++) {
            struct plan *p = plan_of(tracks[t], challenges[c], NULL, 0);
            const struct plan_step *s = &p->steps[p->measured];
            const struct plan_task *append = task_of(p, "index-append");
            bool split = !strcmp(tracks[t], "mixed-split");
            assert_int_equal(p->n_steps, c == 0 ? 7 : 4);
            assert_int_equal(s->n_tasks, 1 + split + (c > 1));
            assert_int_equal(append->kind, PLAN_BULK);
            assert_int_equal(append->clients, 8);
            assert_int_equal(append->warmup_ns, 10000000000);
            assert_int_equal(append->measure_ns, 60000000000);
            assert_true(append->looped && append->lenient);
            if (c > 1 || split)
                assert_string_equal(s->completed_by, "index-append");
            if (c == 2) {
                assert_int_equal(task_of(p, "term")->clients, 1);
                check_near(task_of(p, "term")->rate_s, 20, 0);
            }
            if (c == 3) {
                check_near(task_of(p, "info")->rate_s, 100, 0);
                assert_string_equal(task_of(p, "info")->requests->path, "/");
            }
            plan_free(p);
        }
}

static void shipped_tracks_take_the_same_parameters(void **state)
{
    (void)state;
    static const struct track_param params[] = {
        {"bulk_size", "77"},          {"bulk_clients", "3"},
        {"corpus_docs", "4321"},      {"corpus_seed", "9"},
        {"warmup_time_period", "2"},  {"time_period", "4"},
        {"number_of_shards", "2"},    {"number_of_replicas", "1"},
        {"max_num_segments", "5"},    {"looped", "false"},
        {"search_rate", "7"},         {"info_rate", "8"},
        {"error_level", "non-fatal"},
    };
    for (size_t t = 0; t < COUNT(tracks); t++) {
        struct plan *p =
            plan_of(tracks[t], "append-and-info", params, COUNT(params));
        const struct plan_task *append = task_of(p, "index-append");
        assert_int_equal(append->bulk_docs, 77);
        assert_int_equal(append->clients, 3);
        assert_int_equal(append->warmup_ns, 2000000000);
        assert_int_equal(append->measure_ns, 4000000000);
        assert_false(append->looped);
        assert_int_equal(p->corpora->documents->docs, 4321);
        assert_int_equal(p->corpora->documents->seed, 9);
        check_near(task_of(p, "info")->rate_s, 8, 0);
        plan_free(p);
    }
}

/* Small and large in turn on one connection, or apart. */
static void mixed_tracks_differ_in_connections(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 1, 1, 1, 2000};
    struct plan *p = plan_of("mixed", challenges[1], NULL, 0);
    const struct plan_task *append = task_of(p, "index-append");
    assert_int_equal(append->n_bulk_sizes, 5);
    assert_memory_equal(append->bulk_sizes, sizes, sizeof sizes);
    assert_int_equal(append->bulk_docs, 2000);
    plan_free(p);
    p = plan_of("mixed-split", challenges[1], NULL, 0);
    const struct plan_task *small = task_of(p, "index-small");
    assert_int_equal(small->bulk_docs, 1);
    assert_int_equal(small->clients, 1);
    check_near(small->rate_s, 100, 0);
    append = task_of(p, "index-append");
    assert_int_equal(append->bulk_docs, 2000);
    assert_int_equal(append->corpora & small->corpora, 0);
    plan_free(p);
}

/* Fifteen headers of 500 bytes: a name of 12, a colon, a blank, 498 or less. */
static void headers_track_sends_fifteen(void **state)
{
    (void)state;
    struct plan *p = plan_of("headers", challenges[0], NULL, 0);
    const struct plan_task *append = task_of(p, "index-append");
    assert_int_equal(append->n_headers, 15);
    for (size_t i = 0; i < 15; i++) {
        assert_memory_equal(append->headers[i], "x-pitwall-", 10);
        assert_int_equal(strlen(append->headers[i]), 12 + 2 + 498);
    }
    assert_int_equal(append->bulk_docs, 5);
    plan_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_tracks_have_the_four_challenges),
        cmocka_unit_test(shipped_tracks_take_the_same_parameters),
        cmocka_unit_test(mixed_tracks_differ_in_connections),
        cmocka_unit_test(headers_track_sends_fifteen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
