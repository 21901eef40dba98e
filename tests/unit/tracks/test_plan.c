#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/lib/guard.h"
#include "tracks/plan.h"

static const char whole[] =
    "{\"version\": 1, \"track\": \"t\", \"challenge\": \"c\",\n"
    " \"corpora\": [\n"
    "  {\"name\": \"g\", \"documents\": [{\"generator\": \"geonames\", "
    "\"seed\": 3, \"docs\": 100, \"index\": \"i\"}]},\n"
    "  {\"name\": \"f\", \"documents\": [{\"file\": \"/x.json\", \"docs\": "
    "9}]}],\n"
    " \"steps\": [\n"
    "  {\"tasks\": [{\"name\": \"drop\", \"operation\": \"delete-index\", "
    "\"requests\": [{\"method\": \"DELETE\", \"path\": \"/i\", \"ignore\": "
    "[404]}], \"until_success\": true, \"retries\": 2}]},\n"
    "  {\"tasks\": [\n"
    "    {\"name\": \"fill\", \"operation\": \"bulk\", \"clients\": 8, "
    "\"warmup_ns\": 1000, \"measure_ns\": 2000, \"rate_s\": 50.5, "
    "\"rate_unit\": \"docs\", \"poisson\": true, \"lenient\": true, "
    "\"timeout_ns\": 5, \"bulk\": {\"docs\": 10, \"corpora\": [1, 0]}},\n"
    "    {\"name\": \"find\", \"operation\": \"search\", \"requests\": "
    "[{\"method\": \"POST\", \"path\": \"/i/_search\", \"body\": \"{}\"}]}]},\n"
    "  {\"tasks\": [{\"name\": \"rest\", \"operation\": \"sleep\", "
    "\"sleep_ns\": 7}]}],\n"
    " \"measured\": 1}";

static void plan_parse_reads_everything(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
    check_ok(plan_parse(&p, whole, strlen(whole), &why), why);
    assert_string_equal(p->track, "t");
    assert_string_equal(p->challenge, "c");
    assert_int_equal(p->n_corpora, 2);
    const struct plan_documents *d = p->corpora[0].documents;
    assert_string_equal(p->corpora[0].name, "g");
    assert_string_equal(d->generator, "geonames");
    assert_null(d->file);
    assert_string_equal(d->index, "i");
    assert_int_equal(d->docs, 100);
    assert_int_equal(d->seed, 3);
    assert_string_equal(p->corpora[1].documents->file, "/x.json");
    assert_null(p->corpora[1].documents->index);
    assert_int_equal(p->n_steps, 3);
    assert_int_equal(p->measured, 1);
    const struct plan_task *drop = p->steps[0].tasks;
    assert_int_equal(drop->kind, PLAN_REQUESTS);
    assert_int_equal(drop->n_requests, 1);
    assert_string_equal(drop->requests->method, "DELETE");
    assert_null(drop->requests->body);
    assert_int_equal(drop->requests->n_ignore, 1);
    assert_int_equal(drop->requests->ignore[0], 404);
    assert_true(drop->until_success);
    assert_int_equal(drop->retries, 2);
    assert_int_equal(drop->timeout_ns, 60000000000); /* Rally's 60 s */
    assert_int_equal(drop->clients, 1);
    assert_int_equal(p->steps[1].n_tasks, 2);
    const struct plan_task *fill = p->steps[1].tasks;
    assert_string_equal(fill->name, "fill");
    assert_string_equal(fill->operation, "bulk");
    assert_int_equal(fill->kind, PLAN_BULK);
    assert_int_equal(fill->clients, 8);
    assert_int_equal(fill->warmup_ns, 1000);
    assert_int_equal(fill->measure_ns, 2000);
    check_near(fill->rate_s, 50.5, 0);
    assert_true(fill->rate_docs && fill->poisson && fill->lenient);
    assert_int_equal(fill->timeout_ns, 5);
    assert_int_equal(fill->bulk_docs, 10);
    assert_int_equal(fill->corpora, 3);
    const struct plan_task *find = &p->steps[1].tasks[1];
    assert_string_equal(find->requests->body, "{}");
    assert_false(find->lenient);
    assert_int_equal(p->steps[2].tasks->kind, PLAN_SLEEP);
    assert_int_equal(p->steps[2].tasks->sleep_ns, 7);
    plan_free(p);
}

/* whole with the first occurrence of from replaced by to is refused so. */
static void refuses(const char *from, const char *to, const char *part)
{
    struct why why = {0};
    struct plan *p;
    static char text[4096];
    const char *at = strstr(whole, from);
    assert_non_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, to,
                   at + strlen(from));
    check_err(plan_parse(&p, text, strlen(text), &why), ERR_INVALID);
    check_says(why, part);
    assert_null(p);
}

static void plan_parse_says_what_is_wrong_and_where(void **state)
{
    (void)state;
    refuses("\"version\": 1", "\"version\": 2",
            "plan:1: version: must be a whole number from 1 to 1, not 2");
    refuses("\"version\": 1, ", "", "\"version\" is missing");
    refuses("\"track\": \"t\"", "\"trakc\": \"t\"", "unknown key \"trakc\"");
    refuses("\"t\"", "\"\"", "plan:1: track: has 0 characters");
    refuses("\"generator\": \"geonames\"", "\"generator\": \"geo\"",
            "plan:3: corpora[0].documents[0].generator: \"geo\" is unknown; "
            "accepted: geonames");
    refuses("\"generator\": \"geonames\"",
            "\"generator\": \"geonames\", \"file\": \"/x\"",
            "needs either \"generator\" or \"file\"");
    refuses("\"docs\": 100", "\"docs\": 0", "documents[0].docs: must be");
    refuses("\"docs\": 100", "\"docs\": 1.5", "not 1.5");
    refuses("\"index\": \"i\"", "\"index\": \"a\\\"b\"", "no index name");
    refuses("/x.json", "x.json", "file: must be absolute");
    refuses("\"method\": \"DELETE\"", "\"method\": \"A B\"", "no HTTP method");
    refuses("\"path\": \"/i\"", "\"path\": \"i\"", "must begin with /");
    refuses("\"path\": \"/i\"", "\"path\": \"/i\\r\\nX: y\"",
            "a control character");
    refuses("[404]", "[4]",
            "plan:6: steps[0].tasks[0].requests[0].ignore[0]: "
            "must be 100 to 599");
    refuses("\"clients\": 8", "\"clients\": \"8\"",
            "plan:8: steps[1].tasks[0].clients: must be a number, not a text");
    refuses("\"clients\": 8", "\"clients\": 10001", "1 to 10000");
    refuses("\"rate_s\": 50.5", "\"rate_s\": -1", "rate_s: must be 0 to 1e9");
    refuses("\"rate_unit\": \"docs\"", "\"rate_unit\": \"pages\"",
            "\"pages\" is unknown");
    refuses("[1, 0]", "[2]", "there is no corpus 2");
    refuses("[1, 0]", "[]", "corpora: is empty");
    refuses("\"sleep_ns\": 7", "\"sleep_ns\": 7, \"requests\": []",
            "needs one of");
    refuses("\"sleep_ns\": 7", "\"bulk\": {\"docs\": 1, \"corpora\": [0]}",
            "steps[2].tasks[0]: a bulk in no measured step");
    refuses("\"bulk\": {\"docs\": 10, \"corpora\": [1, 0]}", "\"sleep_ns\": 1",
            "steps[1].tasks[0]: a sleep in the measured");
    refuses("\"measured\": 1", "\"measured\": 0", "a bulk in no measured");
    refuses("\"measured\": 1", "\"measured\": 3", "measured: must be");
    refuses(",\n \"measured\": 1", "", "\"measured\" is missing");
    refuses("\"name\": \"find\"", "\"name\": \"fill\"",
            "the name \"fill\" is taken");
}

static void plan_parse_refuses_more_than_256_kib(void **state)
{
    (void)state;
    static char text[(256 << 10) + 1];
    struct why why = {0};
    struct plan *p;
    memset(text, ' ', sizeof text);
    memcpy(text, whole, strlen(whole));
    check_err(plan_parse(&p, text, sizeof text, &why), ERR_RANGE);
    check_ok(plan_parse(&p, text, sizeof text - 1, &why), why);
    plan_free(p);
}

static void plan_parse_reads_no_byte_too_far(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof whole - 1; len++) {
        struct why why = {0};
        struct plan *p;
        char *copy = guard_copy(whole, len);
        check_err(plan_parse(&p, copy, len, &why), ERR_INVALID);
        guard_free(copy, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_parse_reads_everything),
        cmocka_unit_test(plan_parse_says_what_is_wrong_and_where),
        cmocka_unit_test(plan_parse_refuses_more_than_256_kib),
        cmocka_unit_test(plan_parse_reads_no_byte_too_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
