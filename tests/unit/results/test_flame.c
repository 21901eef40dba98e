/* Flame graphs, and that they and their stacks become artifacts. */
#include <stdio.h>
#include <stdlib.h>

#include "results/digest.h"
#include "results/flame.h"
#include "tests/unit/results/lab.h"

static struct why why;

static char *drawn(struct flame_stack *stacks, size_t n, const char *title)
{
    size_t len = 0;
    char *svg = flame_draw(stacks, n, title, &len);
    assert_non_null(svg);
    assert_int_equal(strlen(svg), len);
    return svg;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static void has(const char *svg, const char *part)
{
    if (strstr(svg, part))
        return;
    (void)fprintf(stderr, "%s\nis not in\n%s\n", part, svg);
    fail();
}

/* 1180 wide for 10 samples: a 118 each; b under main 4, of which c 3. The text
 * "a-b" sorts between "a" and "a;c", which is no frame's end. */
static void frames_are_as_wide_as_their_samples(void **state)
{
    (void)state;
    struct flame_stack stacks[] = {
        {"a-b", 1}, {"a;main;b;c", 3}, {"a", 2}, {"a;main;b", 1}, {"a;x", 3}};
    char *svg = drawn(stacks, 5, "t");
    has(svg, "<title>all (10 samples, 100.00 %)</title>"
             "<rect x=\"10.00\" y=\"120.0\" width=\"1180.00\"");
    has(svg, "<title>a (9 samples, 90.00 %)</title>"
             "<rect x=\"10.00\" y=\"103.0\" width=\"1062.00\"");
    has(svg, "<title>main (4 samples, 40.00 %)</title>"
             "<rect x=\"246.00\" y=\"86.0\" width=\"472.00\"");
    has(svg, "<title>b (4 samples, 40.00 %)</title>"
             "<rect x=\"246.00\" y=\"69.0\" width=\"472.00\"");
    has(svg, "<title>c (3 samples, 30.00 %)</title>"
             "<rect x=\"364.00\" y=\"52.0\" width=\"354.00\"");
    has(svg, "<title>x (3 samples, 30.00 %)</title>"
             "<rect x=\"718.00\" y=\"86.0\" width=\"354.00\"");
    has(svg, "<title>a-b (1 samples, 10.00 %)</title>"
             "<rect x=\"1072.00\"");
    assert_int_equal(count(svg, "<rect x="), 7);
    assert_null(strstr(svg, "<script"));
    free(svg);
}

static void names_are_escaped_and_cut_to_their_frames(void **state)
{
    (void)state;
    /* 1180 x 5 / 100 = 59: (59 - 6) / 6.7 = 7 characters, the last two dots. */
    struct flame_stack stacks[] = {{"<init>&\xc3\xa9", 95}, {"abcdefghij", 5}};
    char *svg = drawn(stacks, 2, "<t>");
    has(svg, "font-size=\"15\">&lt;t&gt;</text>");
    has(svg, ">&lt;init&gt;&amp;?\?</text>");
    has(svg, ">abcde..</text>");
    has(svg, "<title>abcdefghij (5 samples, 5.00 %)</title>");
    free(svg);
}

/* 1180 / 4000 = 0.295: too narrow to be seen. */
static void what_cannot_be_seen_is_not_drawn(void **state)
{
    (void)state;
    struct flame_stack stacks[] = {{"a;b;c", 1}, {"a", 3999}};
    char *svg = drawn(stacks, 2, "t");
    assert_int_equal(count(svg, "<rect x="), 2);
    free(svg);
    svg = drawn(NULL, 0, "t");
    assert_int_equal(count(svg, "<rect x="), 0);
    free(svg);
}

/* 3000 stacks of 10 frames of their own, 0.39 wide each, would be 30,001
 * frames; drawn are those of 0.6, which is the root alone. */
static void frames_have_a_bound(void **state)
{
    (void)state;
    static struct flame_stack stacks[3000];
    static char texts[3000][80];
    for (size_t i = 0; i < 3000; i++) {
        for (size_t k = 0; k < 10; k++)
            (void)snprintf(texts[i] + strlen(texts[i]), 9, "%sf%zu",
                           k ? ";" : "", i);
        stacks[i] = (struct flame_stack){texts[i], 1};
    }
    char *svg = drawn(stacks, 3000, "t");
    assert_int_equal(count(svg, "<rect x="), 1);
    free(svg);
    svg = drawn(stacks, 1000, "t"); /* 10,001 of 1.18 */
    assert_int_equal(count(svg, "<rect x="), 10001);
    free(svg);
}

static void depth_has_a_bound(void **state)
{
    (void)state;
    char deep[2 * 1000] = "";
    for (size_t i = 0; i < 999; i++)
        strcat(deep, "f;");
    struct flame_stack stacks[] = {{deep, 1}};
    char *svg = drawn(stacks, 1, "t");
    assert_int_equal(count(svg, "<rect x="), FLAME_DEPTH_MAX);
    free(svg);
}

static void stack_of(struct spooler *spool, const char *side, const char *text,
                     uint64_t samples)
{
    struct record_stack r = {.samples = samples};
    (void)snprintf(r.side, sizeof r.side, "%s", side);
    (void)snprintf(r.stack, sizeof r.stack, "%s", text);
    spooler_record(spool,
                   strcmp(side, "load") ? SPOOL_WATCH_TARGET : SPOOL_WATCH_LOAD,
                   RECORD_IS_stack, &r);
}

static void stacks_become_artifacts_of_each_side(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    stack_of(&spool, "target", "t;rare", 1);
    stack_of(&spool, "target", "t;often", 5);
    stack_of(&spool, "load", "l", 2);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    spooler_free(&spool);
    assert_int_equal(lab_int(&lab, "select cast(content as text) = 't;often 5' "
                                   "|| char(10) || 't;rare 1' || char(10) from "
                                   "artifact where name = "
                                   "'stacks-target.folded'"),
                     1);
    assert_int_equal(lab_int(&lab,
                             "select count(*) from artifact where name in "
                             "('stacks-load.folded', 'flame-load.svg', "
                             "'flame-target.svg') and length(sha256) = 64"),
                     3);
    assert_int_equal(lab_int(&lab,
                             "select instr(cast(content as text), 'demo 1:1, "
                             "heap=256m,link=loopback, side target') > 0 from "
                             "artifact where name = 'flame-target.svg'"),
                     1);
    lab_fini(&lab);
}

/* FIPS 180-2, appendix B.1. */
static void digest_is_sha256(void **state)
{
    (void)state;
    char hex[DIGEST_HEX_SIZE];
    check_ok(digest("abc", 3, hex, &why), why);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223"
                             "b00361a396177a9cb410ff61f20015ad");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_as_wide_as_their_samples),
        cmocka_unit_test(names_are_escaped_and_cut_to_their_frames),
        cmocka_unit_test(what_cannot_be_seen_is_not_drawn),
        cmocka_unit_test(frames_have_a_bound),
        cmocka_unit_test(depth_has_a_bound),
        cmocka_unit_test(stacks_become_artifacts_of_each_side),
        cmocka_unit_test(digest_is_sha256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
