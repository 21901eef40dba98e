#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "load/job.h"
#include "tests/lib/check.h"

static const char plan[] =
    "{\"version\":1,\"track\":\"t\",\"challenge\":\"c\",\"corpora\":[{"
    "\"name\":\"g\",\"documents\":[{\"generator\":\"geonames\",\"docs\":1000,"
    "\"index\":\"i\"}]}],\"steps\":[{\"tasks\":[{\"name\":\"fill\","
    "\"operation\":\"bulk\",\"clients\":5,\"warmup_ns\":1,\"measure_ns\":2,"
    "\"rate_s\":70,\"rate_unit\":\"docs\",\"bulk\":{\"docs\":10,\"corpora\":[0]"
    "}},{\"name\":\"find\",\"operation\":\"search\",\"requests\":[{\"method\":"
    "\"POST\",\"path\":\"/_search\",\"body\":\"{}\"}]}]}],\"measured\":0}";

static struct options options_of(const char *url)
{
    return (struct options){.url = url,
                            .cache_limit_bytes = CACHE_LIMIT_BYTES,
                            .load = {.memory_bytes = 1 << 24}};
}

static void job_open_takes_the_tasks_as_they_are(void **state)
{
    (void)state;
    struct job job;
    struct why why = {0};
    const struct options o = options_of(NULL);
    check_ok(job_open(&job, plan, strlen(plan), &o, &why), why);
    assert_string_equal(job.address.text, "127.0.0.1:9200");
    assert_int_equal(job.n_works, 2);
    assert_int_equal(job.steps[0].slots, 6);
    const struct work *w = job.works;
    assert_string_equal(w[0].name, "fill");
    assert_true(w[0].bulk && w[0].rate_docs);
    assert_int_equal(w[0].pacing, PACER_FIXED);
    assert_int_equal(w[0].warmup_ns, 1);
    assert_int_equal(w[0].measure_ns, 2);
    assert_int_equal(w[1].pacing, PACER_CLOSED);
    assert_false(w[1].bulk);
    assert_int_equal(w[1].timeout_ns, 60000000000);
    check_ok(job_corpora(&job, NULL, NULL, NULL, &why), why);
    check_ok(job_render(&job, &why), why);
    assert_int_equal(body_of(w[0].bodies, 4).n, 20); /* 200 by tens */
    assert_int_equal(body_of(w[1].bodies, 0).n, 1);
    job_close(&job);
}

/* Clients 0 to 4 fill, number 5 finds: of three agents the last has 2 and 5. */
static void job_deals_clients_in_turn_over_all_tasks(void **state)
{
    (void)state;
    struct job job;
    struct why why = {0};
    struct options o = options_of(NULL);
    o.share = (struct share){.index = 2, .of = 3};
    check_ok(job_open(&job, plan, strlen(plan), &o, &why), why);
    assert_int_equal(job.works[0].clients, 5);
    assert_int_equal(job.works[0].own, 1);
    assert_int_equal(job.works[1].slot, 5);
    assert_int_equal(job.works[1].own, 1);
    job_close(&job);
    o.share.index = 1; /* 1 and 4 */
    check_ok(job_open(&job, plan, strlen(plan), &o, &why), why);
    assert_int_equal(job.works[0].own, 2);
    assert_int_equal(job.works[1].own, 0);
    job_close(&job);
}

static void job_options_overrule_the_bulks(void **state)
{
    (void)state;
    struct job job;
    struct why why = {0};
    struct options o = options_of("http://127.0.0.1:1");
    o.load.clients = 3;
    o.load.measure_ns = 9;
    o.load.has_warmup = true;
    o.load.rate_s = 5;
    o.load.has_arrival = o.load.poisson = true;
    check_ok(job_open(&job, plan, strlen(plan), &o, &why), why);
    assert_int_equal(job.works[0].clients, 3);
    assert_int_equal(job.works[0].measure_ns, 9);
    assert_int_equal(job.works[0].warmup_ns, 0);
    check_near(job.works[0].rate_s, 5, 0);
    assert_false(job.works[0].rate_docs);
    assert_int_equal(job.works[0].pacing, PACER_POISSON);
    assert_int_equal(job.works[1].clients, 1); /* a search beside it */
    assert_int_equal(job.works[1].pacing, PACER_CLOSED);
    assert_int_equal(job.works[1].measure_ns, 9); /* times are of both */
    job_close(&job);
}

static void job_refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct job job;
    struct why why = {0};
    struct options o = options_of("http://127.0.0.1:1/path");
    check_err(job_open(&job, plan, strlen(plan), &o, &why), ERR_USAGE);
    check_says(why, "--target \"http://127.0.0.1:1/path\": takes no path");
    o = options_of("https://127.0.0.1:1");
    o.engine = ENGINE_RAW;
    check_err(job_open(&job, plan, strlen(plan), &o, &why), ERR_USAGE);
    check_says(why, "--engine raw: speaks plain HTTP/1.1 alone");
    o = options_of(NULL);
    check_err(job_open(&job, "{}", 2, &o, &why), ERR_INVALID);
    o = options_of("http://127.0.0.1:1/");
    o.load.rate_s = 5;
    (void)snprintf(o.load.rate_unit, sizeof o.load.rate_unit, "docs");
    check_err(job_open_url(&job, &o, &why), ERR_USAGE);
    check_says(why, "--rate in docs/s: task url has no documents");
    o = options_of("http://127.0.0.1:1/");
    o.load.has_arrival = true;
    check_err(job_open_url(&job, &o, &why), ERR_USAGE);
    check_says(why, "--arrival: task url has no rate");
    static const char missing[] =
        "{\"version\":1,\"track\":\"t\",\"challenge\":\"c\",\"corpora\":[{"
        "\"name\":\"g\",\"documents\":[{\"file\":\"/no/where\",\"docs\":1}]}],"
        "\"steps\":[{\"tasks\":[{\"name\":\"x\",\"operation\":\"bulk\",\"bulk\""
        ":{\"docs\":1,\"corpora\":[0]}}]}],\"measured\":0}";
    o = options_of(NULL);
    check_ok(job_open(&job, missing, strlen(missing), &o, &why), why);
    check_err(job_corpora(&job, NULL, NULL, NULL, &why), ERR_NOTFOUND);
    check_says(why, "corpus /no/where: No such file");
    job_close(&job);
}

/* A file of this text; its name is valid until the next. */
static const char *file_of(const char *text)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "/tmp/pitwall-job-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
    return path;
}

static void job_open_url_makes_one_request(void **state)
{
    (void)state;
    struct job job;
    struct why why = {0};
    struct options o = options_of("http://127.0.0.1:1/x?y");
    check_ok(job_open_url(&job, &o, &why), why);
    assert_string_equal(job.request.method, "GET");
    assert_string_equal(job.request.path, "/x?y");
    assert_int_equal(job.works->clients, 8);
    assert_int_equal(job.works->measure_ns, 10000000000);
    assert_false(job.works->bulk);
    job_close(&job);
}

static void job_open_url_counts_the_documents_of_a_bulk(void **state)
{
    (void)state;
    struct job job;
    struct why why = {0};
    struct options o = options_of("http://127.0.0.1:1/i/t/_bulk?refresh");
    o.body = file_of("{\"index\":{}}\n{}\n{\"index\":{}}\n{\"a\":1}");
    check_ok(job_open_url(&job, &o, &why), why);
    assert_string_equal(job.request.method, "POST");
    assert_true(job.works->bulk);
    check_ok(job_corpora(&job, NULL, NULL, NULL, &why), why);
    check_ok(job_render(&job, &why), why);
    assert_int_equal(body_of(job.works->bodies, 0).items->docs, 2);
    job_close(&job);
    o.url = "http://127.0.0.1:1/_bulky"; /* another path: just a body */
    o.method = "PUT";
    check_ok(job_open_url(&job, &o, &why), why);
    assert_string_equal(job.request.method, "PUT");
    assert_false(job.works->bulk);
    job_close(&job);
    (void)unlink(o.body);
    check_err(job_open_url(&job, &o, &why), ERR_NOTFOUND);
    check_says(why, "--body /tmp/pitwall-job-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_open_takes_the_tasks_as_they_are),
        cmocka_unit_test(job_options_overrule_the_bulks),
        cmocka_unit_test(job_refuses_what_does_not_fit),
        cmocka_unit_test(job_open_url_makes_one_request),
        cmocka_unit_test(job_deals_clients_in_turn_over_all_tasks),
        cmocka_unit_test(job_open_url_counts_the_documents_of_a_bulk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
