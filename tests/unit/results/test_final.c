#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/effective.h"
#include "results/final.h"
#include "tests/lib/guard.h"
#include "tests/unit/results/lab.h"

static struct why why;

static enum err read_final(struct final *f, const char *json)
{
    final_init(f);
    return final_read(f, (const uint8_t *)json, strlen(json), &why);
}

static void final_read_takes_the_numbers_and_histograms(void **state)
{
    (void)state;
    struct final f;
    check_ok(read_final(&f, "{\"outcome\":\"oom\",\"partial\":true,\"future\":"
                            "[1],\"total\":{\"docs\":7},\"window\":{\"reads\":"
                            "3},\"heap\":{\"young_count\":2},\"read_bytes\":"
                            "[[100,2],[65536,1]],\"service_ns\":[]}"),
             why);
    assert_true(f.known);
    assert_true(f.partial);
    assert_string_equal(f.outcome, "oom");
    check_near(f.total_docs, 7, 0);
    check_near(f.window_reads, 3, 0);
    check_near(f.heap_young_count, 2, 0);
    assert_true(isnan(f.window_read_bytes));
    assert_int_equal(f.hists[FINAL_READ_BYTES]->total, 3);
    assert_int_equal(f.hists[FINAL_READ_BYTES]->sum, 65736); /* 200 + 65536 */
    assert_null(f.hists[FINAL_SERVICE]);
    assert_null(f.hists[FINAL_READS_PER_LOOP]);
    assert_string_equal(final_hist_name(FINAL_SERVICE), "target_service");
    final_fini(&f);
    assert_null(f.hists[FINAL_READ_BYTES]);
}

static void final_read_names_the_place_of_what_it_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *json, *says;
    } bad[] = {
        {"", "target-final"},
        {"[]", "not an object"},
        {"{\"total\":{\"docs\":-1}}", "total.docs"},
        {"{\"total\":{\"docs\":1.5}}", "not a whole number"},
        {"{\"total\":{\"docs\":1e300}}", "total.docs"},
        {"{\"total\":{\"docs\":\"7\"}}", "total.docs"},
        {"{\"total\":{\"docs\":9007199254740994}}", "total.docs"},
        {"{\"read_bytes\":{}}", "read_bytes"},
        {"{\"read_bytes\":[[1]]}", "not [value, count]"},
        {"{\"read_bytes\":[[1,2],[1,2,3]]}", "read_bytes[1]"},
        {"{\"read_bytes\":[[-1,2]]}", "not a whole number"},
        {"{\"read_bytes\":[[1,281474976710656],[1,1]]}", "add up"},
        {"{\"outcome\":\"ok\"", "target-final:1"},
        {"{\"outcome\":\"ok\",\"outcome\":\"oom\"}", "outcome"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct final f;
        if (read_final(&f, bad[i].json) != ERR_INVALID)
            fail_msg("%s is accepted", bad[i].json);
        check_says(why, bad[i].says);
        assert_false(f.known);
        assert_true(isnan(f.total_docs));
        assert_null(f.hists[FINAL_READ_BYTES]);
    }
}

static void final_read_passes_over_objects_of_another_type(void **state)
{
    (void)state;
    struct final f;
    check_ok(read_final(&f, "{\"total\":[1],\"window\":null,\"outcome\":7}"),
             why);
    assert_true(f.known);
    assert_string_equal(f.outcome, "");
    assert_true(isnan(f.total_docs));
    final_fini(&f);
}

static void final_read_knows_the_buffers_of_a_fixed_predictor(void **state)
{
    (void)state;
    static const struct {
        const char *predictor;
        uint64_t bytes;
    } cases[] = {{"fixed:64k", 65536},
                 {"fixed:512", 512},
                 {"adaptive:1k-512k", 0},
                 {"fixed:", 0},
                 {"fixed:much", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct final f;
        char json[100];
        (void)snprintf(json, sizeof json,
                       "{\"settings\":{\"predictor\":\"%s\"}}",
                       cases[i].predictor);
        check_ok(read_final(&f, json), why);
        assert_int_equal(f.fixed_bytes, cases[i].bytes);
        final_fini(&f);
    }
}

static void final_read_bounds_its_input(void **state)
{
    (void)state;
    struct final f;
    size_t len = FINAL_BYTES_MAX + 1;
    uint8_t *big = malloc(len);
    assert_non_null(big);
    memset(big, ' ', len);
    final_init(&f);
    check_err(final_read(&f, big, len, &why), ERR_INVALID);
    check_says(why, "at most 8388608");
    free(big);
}

static void final_read_reads_no_further_than_it_may(void **state)
{
    (void)state;
    static const char json[] =
        "{\"total\":{\"docs\":7},\"read_bytes\":[[1,2]]}";
    for (size_t len = 0; len < sizeof json; len++) {
        struct final f;
        char *copy = guard_copy(json, len);
        final_init(&f);
        enum err e = final_read(&f, (const uint8_t *)copy, len, &why);
        check_err(e, len == sizeof json - 1 ? ERR_OK : ERR_INVALID);
        final_fini(&f);
        guard_free(copy, len);
    }
}

static enum err read_effective(struct effective *out, const char *json)
{
    return effective_read(out, (const uint8_t *)json, strlen(json), &why);
}

static void effective_read_takes_rmem_and_the_shapers_rate(void **state)
{
    (void)state;
    struct effective s;
    check_ok(read_effective(&s, "{\"sysctls\":{\"net.ipv4.tcp_rmem\":\"10240 "
                                "87380 16777216\"},\"link\":{\"kind\":\"veth\","
                                "\"load\":{\"qdisc\":\"tbf rate 25000000B/s "
                                "burst 32768 limit 282768\"}},"
                                "\"congestion\":\"bbr\",\"limits\":{"
                                "\"target\":{\"cpus_milli\":500}}}"),
             why);
    assert_true(s.rmem_known);
    assert_int_equal(s.rmem_bytes[0], 10240);
    assert_int_equal(s.rmem_bytes[1], 87380);
    assert_int_equal(s.rmem_bytes[2], 16777216);
    assert_int_equal(s.link_rate_bit, 200000000); /* 25,000,000 * 8 */
    assert_string_equal(s.congestion, "bbr");
    assert_int_equal(s.target_cpus_milli, 500);
}

static void effective_read_knows_nothing_where_nothing_is_told(void **state)
{
    (void)state;
    static const char loopback[] =
        "{\"sysctls\":{},\"link\":{\"kind\":\"loopback\",\"load\":"
        "{\"qdisc\":\"noqueue\"}}}";
    static const char *const silent[] = {"{}", loopback, "[]"};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        struct effective s;
        check_ok(read_effective(&s, silent[i]), why);
        assert_false(s.rmem_known);
        assert_int_equal(s.link_rate_bit, 0);
        assert_string_equal(s.congestion, "");
    }
}

static void effective_read_refuses_what_it_cannot_mean(void **state)
{
    (void)state;
    static const char *const rmem[] = {"",
                                       "1 2",
                                       "1 2 3 4",
                                       "1 2 x",
                                       "1  2 3",
                                       "-1 2 3",
                                       "1 2 99999999999999999999999"};
    static const char *const rate[] = {"tbf rate ", "tbf rate xB/s",
                                       "tbf rate 7", "tbf rate 7Bit",
                                       "tbf rate 9223372036854775807B/s"};
    char json[200];
    struct effective s;
    for (size_t i = 0; i < sizeof rmem / sizeof *rmem; i++) {
        (void)snprintf(json, sizeof json,
                       "{\"sysctls\":{\"net.ipv4.tcp_rmem\":\"%s\"}}", rmem[i]);
        check_err(read_effective(&s, json), ERR_INVALID);
        check_says(why, "not three numbers");
        assert_false(s.rmem_known);
    }
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
        (void)snprintf(json, sizeof json,
                       "{\"link\":{\"load\":{\"qdisc\":\"%s\"}}}", rate[i]);
        check_err(read_effective(&s, json), ERR_INVALID);
        check_says(why, "not a rate in B/s");
    }
    check_err(read_effective(&s, "{\"congestion\":\"seventeen-letters\"}"),
              ERR_INVALID);
    check_says(why, "not a congestion control");
    check_err(read_effective(&s, "{\"sysctls\":"), ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(final_read_takes_the_numbers_and_histograms),
        cmocka_unit_test(final_read_names_the_place_of_what_it_refuses),
        cmocka_unit_test(final_read_passes_over_objects_of_another_type),
        cmocka_unit_test(final_read_knows_the_buffers_of_a_fixed_predictor),
        cmocka_unit_test(final_read_bounds_its_input),
        cmocka_unit_test(final_read_reads_no_further_than_it_may),
        cmocka_unit_test(effective_read_takes_rmem_and_the_shapers_rate),
        cmocka_unit_test(effective_read_knows_nothing_where_nothing_is_told),
        cmocka_unit_test(effective_read_refuses_what_it_cannot_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
