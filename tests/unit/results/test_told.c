#include <math.h>
#include <stdio.h>

#include "results/invalid.h"
#include "results/told.h"
#include "tests/lib/check.h"

static struct tally *fresh(void)
{
    struct tally *t = NULL;
    struct why why = {0};
    check_ok(tally_new(&t, &why), why);
    final_init(&t->final);
    t->polls = 2;
    t->polled.docs = 7;
    t->polled.reads = 0;
    return t;
}

static void fact(struct tally *t, const char *name, const char *value)
{
    struct record_fact r = {.side = "target"};
    (void)snprintf(r.name, sizeof r.name, "%s", name);
    (void)snprintf(r.value, sizeof r.value, "%s", value);
    told_fact(t, &r);
}

static void figures_are_all_told_where_nothing_is_said(void **state)
{
    struct tally *t = fresh();
    (void)state;
    check_near(TOLD(t, docs), 7, 0);
    check_near(TOLD(t, reads), 0, 0);
    t->polls = 0;
    assert_true(isnan(TOLD(t, docs)));
    tally_free(t);
}

static void figures_that_a_map_lacks_are_unknown(void **state)
{
    struct tally *t = fresh();
    (void)state;
    fact(t, "stats.told", "docs,young_ns");
    check_near(TOLD(t, docs), 7, 0);
    check_near(TOLD(t, young_ns), 0, 0);
    assert_true(isnan(TOLD(t, reads)));
    assert_true(isnan(TOLD(t, young_count))); /* only part of the name */
    fact(t, "stats.told", "nothing");
    assert_true(isnan(TOLD(t, docs)));
    tally_free(t);
}

static bool disagree(const struct tally *t)
{
    const struct invalid_rule *r;
    char evidence[INVALID_EVIDENCE_BYTES];
    for (size_t i = 0; (r = invalid_rule(i)); i++)
        if (!strcmp(r->name, "documents disagree"))
            return r->broken(t, OUTCOME_OK, evidence, sizeof evidence);
    return false;
}

static void documents_that_are_told_must_be_those_acknowledged(void **state)
{
    struct tally *t = fresh();
    (void)state;
    t->driver_known = true;
    t->driver.docs_acked = 500;
    assert_true(isnan(told_docs(t)));
    assert_false(disagree(t)); /* who does not count cannot disagree */
    fact(t, "stats.docs", "500");
    check_near(told_docs(t), 500, 0);
    assert_false(disagree(t));
    fact(t, "stats.docs", "499");
    assert_true(disagree(t));
    t->final.total_docs = 500; /* the last word is preferred */
    assert_false(disagree(t));
    tally_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_all_told_where_nothing_is_said),
        cmocka_unit_test(figures_that_a_map_lacks_are_unknown),
        cmocka_unit_test(documents_that_are_told_must_be_those_acknowledged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
