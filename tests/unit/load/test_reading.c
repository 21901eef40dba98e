#include <stdlib.h>

#include "common/json.h"
#include "load/reading.h"
#include "tests/lib/check.h"
#include "tests/unit/load/folder.h"

static const char plan[] =
    "{\"version\":1,\"track\":\"t\",\"challenge\":\"c\",\"corpora\":[{"
    "\"name\":\"g\",\"documents\":[{\"generator\":\"http_logs\",\"docs\":1000,"
    "\"index\":\"i\"}]}],\"steps\":[{\"tasks\":[{\"name\":\"fill\","
    "\"operation\":\"bulk\",\"clients\":5,\"bulk\":{\"docs\":10,\"corpora\":[0]"
    "}}],\"measured\":true},{\"tasks\":[{\"name\":\"x\",\"operation\":"
    "\"refresh\",\"requests\":[{\"method\":\"POST\",\"path\":\"/_refresh\"}]}]"
    "}],\"measured\":0}";

struct rig {
    char dir[64];
    struct options options;
    struct job job;
    unsigned looks; /* after which it is stopped */
};

static bool stopped(void *ctx)
{
    struct rig *r = ctx;
    return r->looks-- == 0;
}

static void rig_init(struct rig *r, const char *text)
{
    struct why why = {0};
    *r = (struct rig){.options = {.cache_limit_bytes = CACHE_LIMIT_BYTES,
                                  .load = {.memory_bytes = 1 << 24}}};
    folder_make(r->dir);
    r->options.cache = r->dir;
    check_ok(job_open(&r->job, text, strlen(text), &r->options, &why), why);
    check_ok(job_corpora(&r->job, NULL, NULL, NULL, &why), why);
    check_ok(job_render(&r->job, &why), why);
}

static void rig_fini(struct rig *r)
{
    job_close(&r->job);
    folder_remove(r->dir);
}

static void reading_reads_whole_bodies_by_several_threads(void **state)
{
    (void)state;
    struct rig r;
    struct reading sum;
    struct why why = {0};
    rig_init(&r, plan);
    r.looks = 2; /* stopped long before the hour is over */
    const struct reading_config config = {.job = &r.job,
                                          .threads = 3,
                                          .measure_ns = 3600000000000,
                                          .stopped = stopped,
                                          .ctx = &r};
    check_ok(reading_run(&sum, &config, &why), why);
    assert_int_equal(sum.threads, 3);
    assert_true(sum.bodies >= 100); /* each of the hundred, many times */
    assert_int_equal(sum.docs, 10 * sum.bodies);
    assert_true(sum.bytes > 100 * sum.docs);
    assert_true(sum.bytes < 200 * sum.docs);
    rig_fini(&r);
}

static void reading_says_where_its_bodies_are_from(void **state)
{
    (void)state;
    struct rig r;
    struct why why = {0};
    struct jv *v;
    char *text = NULL;
    size_t len = 0;
    const struct reading sum = {.threads = 2,
                                .took_ns = 500000000,
                                .bodies = 3,
                                .docs = 30,
                                .bytes = 4000};
    rig_init(&r, plan);
    r.options.few = true;
    FILE *to = open_memstream(&text, &len);
    reading_print_json(to, &sum, &r.job);
    (void)fclose(to);
    check_ok(jv_parse(&v, "json", text, len, &why), why);
    assert_string_equal(jv_text(jv_get(v, "sink"), ""), "none");
    assert_string_equal(jv_text(jv_get(v, "provider"), ""), "static");
    check_near(jv_number(jv_get(v, "docs_s"), 0), 60, 1e-9); /* 30 / 0.5 */
    check_near(jv_number(jv_get(v, "bytes_s"), 0), 8000, 1e-9);
    const struct jv *corpus = jv_at(jv_get(v, "corpora"), 0);
    assert_string_equal(jv_text(jv_get(corpus, "name"), ""), "g");
    check_near(jv_number(jv_get(corpus, "docs"), 0), 1000, 0);
    assert_int_equal(strlen(jv_text(jv_get(corpus, "sha256"), "")), 64);
    jv_free(v);
    free(text);
    to = open_memstream(&text, &len);
    reading_print(to, &sum, &r.job);
    (void)fclose(to);
    assert_non_null(strstr(text, "nothing was sent (--sink none)"));
    assert_non_null(strstr(text, "provider static"));
    free(text);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_reads_whole_bodies_by_several_threads),
        cmocka_unit_test(reading_says_where_its_bodies_are_from)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
