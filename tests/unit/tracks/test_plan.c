#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/lib/guard.h"
#include "tracks/plan.h"

static const char plain[] =
    "{\"version\": 1, \"track\": \"t\", \"challenge\": \"c\",\n"
    " \"corpora\": [\n"
    "  {\"name\": \"g\", \"documents\": [{\"generator\": \"geonames\", "
    "\"seed\": 3, \"docs\": 100, \"index\": \"i\"}]},\n"
    "  {\"name\": \"f\", \"documents\": [{\"file\": \"/x.json\", \"docs\": "
    "9}]}],\n"
    " \"steps\": [\n"
    "  {\"tasks\": [{\"name\": \"drop\", \"operation\": \"delete-index\", "
    "\"requests\": [{\"method\": \"DELETE\", \"path\": \"/i\", \"ignore\": "
    "[404], \"want\": {\"path\": \"a.b\", \"value\": 0}}], "
    "\"until_success\": true, \"retries\": 2, \"retry_wait_ns\": 9, "
    "\"no_retry_on_timeout\": true, \"no_retry_on_error\": true}]},\n"
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

static const char *whole = plain;

static void plan_parse_reads_everything(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
    check_ok(plan_parse(&p, plain, strlen(plain), &why), why);
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
    assert_string_equal(drop->requests->want_path, "a.b");
    assert_true(drop->until_success);
    assert_int_equal(drop->retries, 2);
    assert_int_equal(drop->retry_wait_ns, 9);
    assert_true(drop->no_retry_on_timeout && drop->no_retry_on_error);
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
    whole = plain;
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
    refuses("\"value\": 0", "\"value\": [1]", "must be a plain value");
    refuses("\"path\": \"a.b\", ", "", "want: \"path\" is missing");
    refuses("\"file\": \"/x.json\"", "\"file\": \"/x\", \"create\": true",
            "\"create\" without an \"index\"");
    refuses("\"clients\": 8", "\"clients\": \"8\"",
            "plan:8: steps[1].tasks[0].clients: must be a number, not a text");
    refuses("\"clients\": 8", "\"clients\": 10001", "1 to 10000");
    refuses("\"clients\": 8", "\"clients\": 8, \"headers\": [\"a\"]",
            "headers[0]: must be \"NAME: VALUE\", at most 8192 bytes");
    refuses("\"clients\": 8",
            "\"clients\": 8, \"headers\": [\"a: b\\r\\nc: d\"]",
            "headers[0]: must be");
    refuses("\"clients\": 8", "\"clients\": 8, \"headers\": [\"a b: c\"]",
            "headers[0]: must be");
    refuses("{\"docs\": 10,", "{\"docs\": 10, \"sizes\": [1],",
            "sizes: and \"docs\"");
    refuses("{\"docs\": 10,", "{\"sizes\": [1, 1000001],",
            "sizes[1]: must be 1 to 1000000");
    refuses("{\"docs\": 10,", "{\"sizes\": [],", "sizes: must be 1 to 16");
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
            "steps[1].tasks[0]: a sleep in a measured step");
    refuses("\"measured\": 1", "\"measured\": 0", "a bulk in no measured");
    refuses("\"measured\": 1", "\"measured\": 3", "measured: must be");
    refuses(",\n \"measured\": 1", "", "\"measured\" is missing");
    refuses("\"name\": \"find\"", "\"name\": \"fill\"",
            "the name \"fill\" is taken");
}

/* Two measured steps around one that is not. */
static const char steps[] =
    "{\"version\": 1, \"track\": \"t\", \"challenge\": \"c\",\n"
    " \"corpora\": [{\"name\": \"g\", \"documents\": [{\"generator\": "
    "\"geonames\", \"docs\": 100, \"index\": \"i\"}]}],\n"
    " \"steps\": [\n"
    "  {\"measured\": true, \"clients\": 9, \"completed-by\": \"fill\", "
    "\"tasks\": [\n"
    "   {\"name\": \"fill\", \"operation\": \"bulk\", \"warmup_ns\": 8, "
    "\"ramp_up_ns\": 8,\n"
    "    \"bulk\": {\"docs\": 10, \"corpora\": [0], \"conflicts\": "
    "\"random\", \"conflict_probability\": 0.5, \"recency\": 0.75, "
    "\"on_conflict\": \"update\", \"ingest_ratio\": 0.125, \"looped\": true, "
    "\"query\": \"?pipeline=p&refresh=true\"}},\n"
    "   {\"name\": \"many\", \"operation\": \"composite\", \"hidden\": true,\n"
    "    \"warmup-iterations\": 2, \"iterations\": 3, \"max_connections\": 2,\n"
    "    \"streams\": [[{\"method\": \"GET\", \"path\": \"/a\"}, {\"method\": "
    "\"GET\", \"path\": \"/b\"}], [{\"method\": \"GET\", \"path\": \"/c\"}]]}]"
    "},\n"
    "  {\"measured\": false, \"tasks\": [{\"name\": \"r\", \"operation\": "
    "\"raw-request\", \"requests\": [{\"method\": \"GET\", \"path\": "
    "\"/d\"}]}]},\n"
    "  {\"measured\": true, \"tasks\": [{\"name\": \"more\", \"operation\": "
    "\"bulk\",\n"
    "   \"bulk\": {\"docs\": 1, \"corpora\": [0], \"conflicts\": "
    "\"sequential\", \"ingest_docs\": 7}}]}],\n"
    " \"measured\": 0}";

static void plan_parse_reads_several_measured_steps(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
    check_ok(plan_parse(&p, steps, strlen(steps), &why), why);
    assert_int_equal(p->measured, 0);
    assert_true(p->steps[0].measured);
    assert_int_equal(p->steps[0].clients, 9);
    assert_string_equal(p->steps[0].completed_by, "fill");
    const struct plan_task *fill = p->steps[0].tasks, *many = fill + 1;
    assert_int_equal(fill->ramp_up_ns, 8);
    assert_int_equal(fill->conflicts, PLAN_CONFLICTS_RANDOM);
    check_near(fill->conflict_probability, 0.5, 0);
    check_near(fill->recency, 0.75, 0);
    check_near(fill->ingest_ratio, 0.125, 0);
    assert_int_equal(fill->ingest_docs, 0);
    assert_true(fill->on_conflict_update && fill->looped);
    assert_false(fill->hidden);
    assert_string_equal(fill->query, "?pipeline=p&refresh=true");
    assert_int_equal(many->kind, PLAN_COMPOSITE);
    assert_true(many->hidden);
    assert_int_equal(many->warmup_iterations, 2);
    assert_int_equal(many->iterations, 3);
    assert_int_equal(many->max_connections, 2);
    assert_int_equal(many->n_streams, 2);
    assert_int_equal(many->streams[0].n_requests, 2);
    assert_string_equal(many->streams[0].requests[1].path, "/b");
    assert_int_equal(many->streams[1].n_requests, 1);
    assert_string_equal(many->streams[1].requests[0].path, "/c");
    assert_false(p->steps[1].measured);
    assert_int_equal(p->steps[1].clients, 0);
    assert_null(p->steps[1].completed_by);
    assert_true(p->steps[2].measured);
    const struct plan_task *more = p->steps[2].tasks;
    assert_int_equal(more->conflicts, PLAN_CONFLICTS_SEQUENTIAL);
    check_near(more->conflict_probability, 0.25, 0); /* Rally's 25 % */
    check_near(more->ingest_ratio, 1, 0);
    assert_int_equal(more->ingest_docs, 7);
    assert_false(more->on_conflict_update || more->looped);
    assert_string_equal(more->query, "");
    plan_free(p);
}

static void plan_parse_refuses_steps_that_cannot_be_done(void **state)
{
    (void)state;
    whole = steps;
    refuses("\"measured\": false", "\"measured\": 1",
            "steps[1].measured: must be true or false");
    refuses("\"measured\": true", "\"measured\": false",
            "steps[0].tasks[0]: a bulk in no measured step");
    refuses("\"measured\": 0", "\"measured\": 2",
            "measured: step 0 is measured before");
    refuses("\"clients\": 9", "\"clients\": 10001", "steps[0].clients: must");
    refuses("\"completed-by\": \"fill\"", "\"completed-by\": \"r\"",
            "plan:4: steps[0].completed-by: \"r\" is no task of this step");
    refuses("\"measured\": false", "\"measured\": false, \"clients\": 2",
            "steps[1]: \"clients\" or \"completed-by\" of a step that is not");
    refuses("\"ramp_up_ns\": 8", "\"ramp_up_ns\": 9",
            "ramp_up_ns: is longer than \"warmup_ns\"");
    refuses("\"iterations\": 3", "\"iterations\": 3, \"measure_ns\": 1",
            "steps[0].tasks[1]: both times and iterations");
    refuses("\"iterations\": 3", "\"iterations\": 1000000001",
            "iterations: must be a whole number from 0 to 1000000000");
    refuses("\"hidden\": true", "\"hidden\": 1", "hidden: must be true");
    refuses("\"r\", \"operation\": \"raw-request\",",
            "\"r\", \"operation\": \"x\", \"max_connections\": 1,",
            "max_connections: means nothing without \"streams\"");
    refuses("[{\"method\": \"GET\", \"path\": \"/c\"}]", "[]",
            "streams[1]: has 0 elements; accepted: 1 to 64");
    refuses("[{\"method\": \"GET\", \"path\": \"/c\"}]", "7",
            "streams[1]: must be a list");
    refuses("\"path\": \"/b\"", "\"path\": \"b\"",
            "streams[0][1].path: must begin with /");
    refuses("\"requests\": [{\"method\": \"GET\", \"path\": \"/d\"}]",
            "\"streams\": [[{\"method\": \"GET\", \"path\": \"/d\"}]]",
            "steps[1].tasks[0]: a composite in no measured step");
}

static void plan_parse_refuses_bulks_that_cannot_be_made(void **state)
{
    (void)state;
    whole = steps;
    refuses("\"conflicts\": \"random\"", "\"conflicts\": \"some\"",
            "bulk.conflicts: \"some\" is unknown; accepted: none, sequential, "
            "random");
    refuses("\"conflicts\": \"random\"", "\"conflicts\": \"none\"",
            "bulk.conflict_probability: means nothing without \"conflicts\"");
    refuses("\"conflict_probability\": 0.5", "\"conflict_probability\": 25",
            "conflict_probability: must be 0 to 1, not 25");
    refuses("\"recency\": 0.75", "\"recency\": -1", "recency: must be 0 to 1");
    refuses("\"on_conflict\": \"update\"", "\"on_conflict\": \"drop\"",
            "on_conflict: \"drop\" is unknown; accepted: index, update");
    refuses("\"ingest_ratio\": 0.125", "\"ingest_ratio\": 0",
            "ingest_ratio: must be above 0");
    refuses("\"ingest_ratio\": 0.125",
            "\"ingest_ratio\": 0.5, \"ingest_docs\": 5",
            "\"ingest_docs\" cannot be mixed with \"ingest_ratio\"");
    refuses("\"looped\": true", "\"looped\": 1", "looped: must be true");
    refuses("\"?pipeline=p&refresh=true\"", "\"refresh=true\"",
            "query: must begin with ?");
    refuses("\"?pipeline=p&refresh=true\"", "\"?a b\"", "hold no blank");
    refuses("\"ingest_docs\": 7", "\"ingest_dcos\": 7", "unknown key");
}

static void plan_parse_refuses_more_than_256_kib(void **state)
{
    (void)state;
    static char text[(256 << 10) + 1];
    struct why why = {0};
    struct plan *p;
    memset(text, ' ', sizeof text);
    memcpy(text, plain, strlen(plain));
    check_err(plan_parse(&p, text, sizeof text, &why), ERR_RANGE);
    check_ok(plan_parse(&p, text, sizeof text - 1, &why), why);
    plan_free(p);
}

static void plan_parse_reads_no_byte_too_far(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof steps - 1; len++) {
        struct why why = {0};
        struct plan *p;
        char *copy = guard_copy(steps, len);
        check_err(plan_parse(&p, copy, len, &why), ERR_INVALID);
        guard_free(copy, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_parse_reads_everything),
        cmocka_unit_test(plan_parse_says_what_is_wrong_and_where),
        cmocka_unit_test(plan_parse_reads_several_measured_steps),
        cmocka_unit_test(plan_parse_refuses_steps_that_cannot_be_done),
        cmocka_unit_test(plan_parse_refuses_bulks_that_cannot_be_made),
        cmocka_unit_test(plan_parse_refuses_more_than_256_kib),
        cmocka_unit_test(plan_parse_reads_no_byte_too_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
