/* Which of Rally's published challenges load: tests/data/rally-shapes has
 * tracks of their structure, expected.tsv a line for each challenge: track,
 * challenge, and "loads" or what its refusal must say. docs/tracks.md shows
 * the same lines (tests/docs/test_tracks.py). */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tracks/plan.h"
#include "tracks/track.h"

#define SHAPES  RALLY_SHAPES "/"
#define ROW_MAX 512

/* The verdict on a challenge in the table, in row; NULL: it is not there. */
static const char *expected(const char *track, const char *challenge, char *row)
{
    FILE *f = fopen(SHAPES "expected.tsv", "r");
    const char *verdict = NULL;
    assert_non_null(f);
    while (!verdict && fgets(row, ROW_MAX, f)) {
        row[strcspn(row, "\n")] = 0;
        char *second = strchr(row, '\t');
        assert_non_null(second);
        *second++ = 0;
        char *third = strchr(second, '\t');
        assert_non_null(third);
        *third++ = 0;
        if (!strcmp(row, track) && !strcmp(second, challenge))
            verdict = third;
    }
    (void)fclose(f);
    return verdict;
}

/* What becomes of a challenge: "loads", or the refusal. */
static const char *outcome(const struct track *track, const char *challenge,
                           char *text)
{
    const struct track_options options = {.challenge = challenge};
    struct why why = {0};
    struct plan *plan;
    char *json;
    if (track_render(track, &options, &json, &why)) {
        (void)snprintf(text, ROW_MAX, "%s", why.text);
        return text;
    }
    check_ok(plan_parse(&plan, json, strlen(json), &why), why);
    assert_true(plan->steps[plan->measured].measured);
    plan_free(plan);
    free(json);
    return "loads";
}

static size_t check_track(const char *path)
{
    char row[ROW_MAX], text[ROW_MAX];
    struct track *track;
    struct why why = {0};
    const char *challenge;
    size_t n = 0;
    check_ok(track_open(&track, path, NULL, 0, &why), why);
    for (; (challenge = track_challenge(track, n)); n++) {
        const char *name = track_name(track),
                   *verdict = expected(name, challenge, row),
                   *got = outcome(track, challenge, text);
        if (!verdict)
            fail_msg("%s %s: not in expected.tsv: %s", name, challenge, got);
        if (!strstr(got, verdict))
            fail_msg("%s %s: \"%s\", expected \"%s\"", name, challenge, got,
                     verdict);
    }
    track_close(track);
    return n;
}

static void shapes_of_rallys_challenges_load_or_are_refused(void **state)
{
    (void)state;
    glob_t all;
    size_t challenges = 0, rows = 0;
    assert_int_equal(glob(SHAPES "*.json", 0, NULL, &all), 0);
    for (size_t i = 0; i < all.gl_pathc; i++)
        challenges += check_track(all.gl_pathv[i]);
    globfree(&all);
    FILE *f = fopen(SHAPES "expected.tsv", "r");
    assert_non_null(f);
    for (int c = fgetc(f); c != EOF; c = fgetc(f))
        rows += c == '\n';
    (void)fclose(f);
    assert_int_equal(rows, challenges); /* none that is there no more */
}

/* What the shapes are there for: a step of each kind. */
static void shapes_become_what_rally_would_do(void **state)
{
    (void)state;
    struct why why = {0};
    struct track *track;
    struct plan *p;
    char *json;
    const struct track_options options = {.challenge = "indexing-querying"};
    check_ok(track_open(&track, SHAPES "nyc_taxis.json", NULL, 0, &why), why);
    check_ok(track_render(track, &options, &json, &why), why);
    check_ok(plan_parse(&p, json, strlen(json), &why), why);
    assert_int_equal(p->n_steps, 9);
    assert_int_equal(p->measured, 3);
    const struct plan_task *initial = p->steps[3].tasks;
    assert_string_equal(initial->name, "initial-bulk");
    check_near(initial->ingest_ratio, 0.5, 0);
    assert_int_equal(initial->clients, 8);
    const struct plan_task *merges = p->steps[7].tasks;
    assert_string_equal(merges->requests->want_path,
                        "_all.total.merges.current");
    assert_true(merges->until_success && merges->hidden);
    const struct plan_step *last = &p->steps[8];
    assert_true(last->measured);
    assert_string_equal(last->completed_by, "default");
    assert_int_equal(last->n_tasks, 4);
    assert_int_equal(last->tasks[1].warmup_iterations, 50);
    assert_int_equal(last->tasks[1].iterations, 500);
    check_near(last->tasks[3].rate_s, 1.5, 0);
    const char *file = p->corpora[0].documents->file;
    assert_string_equal(file + strlen(file) - 15, "/documents.json");
    assert_string_equal(p->corpora[0].documents->origin,
                        "https://corpora.example/nyc_taxis/documents.json.bz2");
    plan_free(p);
    free(json);
    track_close(track);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_rallys_challenges_load_or_are_refused),
        cmocka_unit_test(shapes_become_what_rally_would_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
