#include <stdio.h>

#include "results/answer.h"
#include "results/remark.h"
#include "tests/unit/results/lab.h"

static struct why why;
static struct lab lab;
static int64_t experiment, tid;

static bool noted(const struct grid *g, const char *part)
{
    for (size_t i = 0; i < g->n_notes; i++)
        if (strstr(g->notes[i], part))
            return true;
    return false;
}

static int begin(void **state)
{
    (void)state;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 1000);
    (void)lab_docs(&lab, 10, 1210, 1210);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lab_fini(&lab);
    return 0;
}

static void notes_stand_above_show_report_and_list(void **state)
{
    (void)state;
    struct grid g;
    check_ok(
        remark_note(lab.store, "demo", "fan\nbroken", &experiment, &tid, &why),
        why);
    assert_int_equal(experiment, 1);
    assert_int_equal(tid, 0);
    check_ok(
        remark_note(lab.store, "demo:10", "door open", &experiment, &tid, &why),
        why);
    assert_int_equal(tid, 10);
    grid_init(&g);
    check_ok(answer_report(lab.store, 1, &(struct answer_report){0}, &g, &why),
             why);
    assert_true(noted(&g, ": fan broken"));
    assert_true(noted(&g, "note on trial 10, "));
    grid_fini(&g);
    check_ok(answer_show(lab.store, "1:1", &g, &why), why);
    assert_true(noted(&g, ": fan broken"));
    assert_false(noted(&g, "door open"));
    grid_fini(&g);
    check_ok(answer_show(lab.store, "1:10", &g, &why), why);
    assert_true(noted(&g, "door open"));
    grid_fini(&g);
    check_ok(answer_list(lab.store, NULL, NULL, &g, &why), why);
    for (size_t c = 0; c < g.n_columns; c++)
        if (!strcmp(g.columns[c].name, "notes"))
            assert_string_equal(g.cells[c].text, "2");
    grid_fini(&g);
}

static void an_invalidated_trial_enters_no_figure(void **state)
{
    (void)state;
    struct grid g;
    check_ok(remark_invalidate(lab.store, "1:1", "cable pulled", &experiment,
                               &tid, &why),
             why);
    check_ok(
        remark_invalidate(lab.store, "1:1", "twice", &experiment, &tid, &why),
        why);
    assert_int_equal(tid, 1);
    grid_init(&g);
    check_ok(answer_report(lab.store, 1,
                           &(struct answer_report){.metrics = "throughput"}, &g,
                           &why),
             why);
    assert_true(noted(&g, "invalid by rule: operator 1"));
    grid_fini(&g);
    check_near(lab_real(&lab, "select throughput from v_cell where cell = "
                              "'heap=256m,link=loopback' and not canary"),
               1210, 1e-9);
    assert_int_equal(lab_int(&lab, "select count(*) from invalid where "
                                   "evidence = 'cable pulled; twice'"),
                     1);
}

static void remarks_name_what_they_cannot_take(void **state)
{
    (void)state;
    char text[REMARK_TEXT_MAX + 2];
    check_err(remark_note(lab.store, "dmeo", "x", &experiment, &tid, &why),
              ERR_NOTFOUND);
    check_err(remark_note(lab.store, "1:99", "x", &experiment, &tid, &why),
              ERR_NOTFOUND);
    check_err(remark_note(lab.store, "1", " \n", &experiment, &tid, &why),
              ERR_USAGE);
    check_says(why, "the note is empty");
    check_err(remark_note(lab.store, "1", "a\x01", &experiment, &tid, &why),
              ERR_USAGE);
    check_says(why, "byte 2 is no text");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    check_err(remark_note(lab.store, "1", text, &experiment, &tid, &why),
              ERR_USAGE);
    check_says(why, "2001 bytes, at most 2000");
    text[REMARK_TEXT_MAX] = '\0';
    check_ok(remark_note(lab.store, "1", text, &experiment, &tid, &why), why);
    check_err(remark_invalidate(lab.store, "1:2", "x", &experiment, &tid, &why),
              ERR_STATE);
    check_says(why, "trial 1:2 has no attempt that is over");
    check_err(remark_invalidate(lab.store, "1:1", "", &experiment, &tid, &why),
              ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_stand_above_show_report_and_list),
        cmocka_unit_test(an_invalidated_trial_enters_no_figure),
        cmocka_unit_test(remarks_name_what_they_cannot_take)};
    return cmocka_run_group_tests(tests, begin, end);
}
