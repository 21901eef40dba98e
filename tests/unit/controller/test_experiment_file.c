#include <stdlib.h>

#include "controller/experiment_file.h"
#include "controller/matrix.h"
#include "tests/lib/check.h"

static struct experiment *ex;

static int begin(void **state)
{
    (void)state;
    ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(ex);
    return 0;
}

static enum err read_text(const char *text, struct why *why)
{
    struct jv *doc = NULL;
    enum err e = jv_parse(&doc, "e.json", text, strlen(text), why);
    experiment_init(ex);
    if (!e)
        e = experiment_file_read(ex, doc, "lab/e.json", why);
    if (!e)
        e = experiment_file_conditions(ex, doc, why);
    jv_free(doc);
    return e;
}

static void refused(const char *text, enum err code, const char *want)
{
    struct why why = {""};
    check_err(read_text(text, &why), code);
    assert_string_equal(why.text, want);
}

static const char whole[] =
    "{\n"
    "  \"version\": 1,\n"
    "  \"name\": \"receive\",\n"
    "  \"track\": \"geonames\",\n"
    "  \"challenge\": \"append-no-conflicts\",\n"
    "  \"target\": \"pitwall\",\n"
    "  \"factors\": {\n"
    "    \"heap\": [\"256m\", \"1g\"],\n"
    "    \"rmem\": [\"default\", \"low\"],\n"
    "    \"link\": [\"loopback\", \"eth@veth:mtu=1500\"],\n"
    "    \"track.bulk_size\": [500, 5000],\n"
    "    \"target.body_copy\": [true, false]\n"
    "  },\n"
    "  \"exclude\": [{\"heap\": \"256m\", \"rmem\": [\"low\"]},\n"
    "              \"heap=1g,link=eth\"],\n"
    "  \"zip\": [[\"track.bulk_size\", \"target.body_copy\"]],\n"
    "  \"iterations\": 6,\n"
    "  \"order\": \"listed\",\n"
    "  \"seed\": \"18446744073709551615\",\n"
    "  \"warmup\": \"200ms\",\n"
    "  \"measure\": \"1s\",\n"
    "  \"telemetry\": [\"cpu\", \"link\"],\n"
    "  \"canary\": \"off\",\n"
    "  \"note\": \"heaps are scaled\"\n"
    "}\n";

static void every_key_is_read(void **state)
{
    (void)state;
    struct why why = {""};
    check_ok(read_text(whole, &why), why);
    assert_string_equal(ex->name, "receive");
    assert_string_equal(ex->track, "geonames");
    assert_string_equal(ex->folder, "lab");
    assert_string_equal(ex->challenge, "append-no-conflicts");
    assert_int_equal(ex->n_axes, 5);
    assert_string_equal(ex->axes[2].levels[1].label, "eth");
    assert_string_equal(ex->axes[3].levels[1].value, "5000");
    assert_string_equal(ex->axes[4].levels[0].value, "on");
    assert_int_equal(ex->n_excludes, 2);
    assert_string_equal(ex->excludes[0].text, "heap=256m,rmem=low");
    assert_int_equal(ex->zips[0].axes, 0x18); /* the last two */
    assert_int_equal(ex->iterations, 6);
    assert_int_equal(ex->order, ORDER_LISTED);
    assert_true(ex->has_seed);
    assert_true(ex->seed == UINT64_MAX);
    assert_int_equal(ex->warmup_ns, 200000000);
    assert_int_equal(ex->measure_ns, 1000000000);
    assert_string_equal(ex->telemetry, "cpu,link");
    assert_int_equal(ex->canary, CANARY_OFF);
    assert_string_equal(ex->note, "heaps are scaled");
}

static void without_a_name_the_file_gives_it(void **state)
{
    (void)state;
    struct why why = {""};
    check_ok(read_text("{\"version\": 1}", &why), why);
    assert_string_equal(ex->name, "e");
    assert_int_equal(ex->iterations, 6);
    assert_false(ex->has_seed);
}

static void what_is_written_reads_back_the_same(void **state)
{
    (void)state;
    struct why why = {""};
    struct experiment *first = malloc(sizeof *first);
    assert_non_null(first);
    check_ok(read_text(whole, &why), why);
    char *text = experiment_file_print(ex);
    memcpy(first, ex, sizeof *ex);
    check_ok(read_text(text, &why), why);
    assert_memory_equal(first, ex, sizeof *ex);
    free(text);
    free(first);
}

static void complaints_name_file_line_and_key(void **state)
{
    (void)state;
    refused("{\"version\": 1,\n\"note\": 7}", ERR_INVALID,
            "e.json:2: note: a text is needed");
    refused("[]", ERR_INVALID, "e.json:1: an experiment is an object");
    refused("{}", ERR_INVALID, "e.json:1: \"version\": 1 is missing");
    refused("{\"version\": 2}", ERR_VERSION,
            "e.json:1: version: version 2 is not known; this pitwall reads 1");
    refused("{\"version\": 1,\n\"factors\": []}", ERR_INVALID,
            "e.json:2: factors: an object of factors is needed: {\"heap\": "
            "[\"1g\", \"2g\"]}");
    refused("{\"version\": 1,\n\"factors\": {\n\"heap\": \"1g\"}}", ERR_INVALID,
            "e.json:3: factors.heap: a list of levels is needed");
    refused("{\"version\": 1,\n\"factors\": {\n\"heap\": []}}", ERR_INVALID,
            "e.json:3: factors.heap: heap: no level");
    refused("{\"version\": 1,\n\"factors\": {\n\"haep\": [\"1g\"]}}",
            ERR_INVALID,
            "e.json:3: factors.haep: unknown factor \"haep\"; near it: heap");
    refused("{\"version\": 1,\n\"factors\": {\n\"heap\": [\"1g\",\n null]}}",
            ERR_INVALID,
            "e.json:4: factors.heap[1]: a text or a number is needed");
    refused("{\"version\": 1,\n\"factors\": {\n\"heap\": [\"1g\",\n\"\"]}}",
            ERR_INVALID, "e.json:4: factors.heap[1]: an empty level");
    refused("{\"version\": 1,\n\"iterations\": 0}", ERR_RANGE,
            "e.json:2: iterations: \"0\" measures nothing");
    refused("{\"version\": 1,\n\"measure\": 10}", ERR_INVALID,
            "e.json:2: measure: \"10\" is not a duration such as 500ms, 10s or "
            "5m");
    refused("{\"version\": 1,\n\"measure\": \"0\"}", ERR_RANGE,
            "e.json:2: measure: \"0\" measures nothing");
    refused("{\"version\": 1,\n\"seed\": -1}", ERR_INVALID,
            "e.json:2: seed: \"-1\" is not a whole number");
    refused("{\"version\": 1,\n\"exclude\": {}}", ERR_INVALID,
            "e.json:2: exclude: a list is needed");
    refused("{\"version\": 1,\n\"exclude\": [\n{\"heap\": \"1g\"}]}",
            ERR_INVALID,
            "e.json:3: exclude[0]: exclude heap=1g: \"heap\" is not a factor "
            "of this experiment; it has: none");
    refused("{\"version\": 1,\n\"zip\": [[\"heap\"]]}", ERR_INVALID,
            "e.json:2: zip[0]: zip heap: \"heap\" is not a factor of this "
            "experiment; it has: none");
    refused("{\"version\": 1,\n\"telemetry\": \"gpu\"}", ERR_INVALID,
            "e.json:2: telemetry: \"gpu\" is not one of "
            "link,tcp,cpu,disk,proc,target,capacity,perf,reads "
            "(or none alone)");
}

static void unknown_keys_are_refused_with_those_that_exist(void **state)
{
    (void)state;
    struct why why = {""};
    check_err(read_text("{\"version\": 1,\n \"iteration\": 3}", &why),
              ERR_INVALID);
    check_says(why, "e.json:2: ");
    check_says(why, "unknown key \"iteration\"");
    check_says(why, "iterations");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(every_key_is_read),
        CASE(without_a_name_the_file_gives_it),
        CASE(what_is_written_reads_back_the_same),
        CASE(complaints_name_file_line_and_key),
        CASE(unknown_keys_are_refused_with_those_that_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
