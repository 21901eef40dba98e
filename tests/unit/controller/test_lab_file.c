#include <stdio.h>
#include <stdlib.h>

#include "controller/lab_file.h"
#include "tests/lib/check.h"

static struct why why;

static enum err parse(struct lab_file **out, const char *json)
{
    struct jv *root = NULL;
    why = (struct why){""};
    enum err e = jv_parse(&root, "lab.json", json, strlen(json), &why);
    if (!e)
        e = lab_file_parse(out, root, "/lab", &why);
    jv_free(root);
    return e;
}

#define AGENTS                                                                 \
    "\"agents\":[{\"name\":\"srv\",\"url\":\"tcp://10.0.0.1:7411\"},"          \
    "{\"name\":\"gen1\",\"url\":\"ipc:///x\"},"                                \
    "{\"name\":\"gen2\",\"url\":\"ipc:///y\"}]"

static void a_bench_has_its_target_first(void **state)
{
    (void)state;
    struct lab_file *file = NULL;
    struct lab_places places;
    const struct lab_place *place = &places.items[0];
    check_ok(parse(&file, "{\"version\":1," AGENTS
                          ",\"benches\":[{\"name\":\"rack\",\"target\":"
                          "\"srv\",\"load\":[\"gen2\",\"gen1\"]}]}"),
             why);
    check_ok(lab_file_benches(file, NULL, &places, &why), why);
    assert_int_equal(places.n, 1);
    assert_string_equal(place->bench, "rack");
    assert_int_equal(place->n, 3);
    assert_string_equal(place->agents[0].url, "tcp://10.0.0.1:7411");
    assert_string_equal(place->agents[1].name, "gen2");
    assert_string_equal(place->agents[2].name, "gen1");
    free(file);
}

static void tls_is_a_folder_or_three_files(void **state)
{
    (void)state;
    static const char bench[] =
        ",\"benches\":[{\"name\":\"a\",\"target\":\"srv\"}],\"tls\":";
    struct lab_file *file = NULL;
    char text[600];
    (void)snprintf(text, sizeof text, "{\"version\":1," AGENTS "%s\"op\"}",
                   bench);
    check_ok(parse(&file, text), why);
    assert_string_equal(file->tls.ca, "/lab/op/ca.pem");
    assert_string_equal(file->tls.cert, "/lab/op/cert.pem");
    assert_string_equal(file->tls.key, "/lab/op/key.pem");
    free(file);
    (void)snprintf(text, sizeof text,
                   "{\"version\":1," AGENTS "%s{\"ca\":\"/c\","
                   "\"cert\":\"x.pem\",\"key\":\"/k\"}}",
                   bench);
    check_ok(parse(&file, text), why);
    assert_string_equal(file->tls.ca, "/c");
    assert_string_equal(file->tls.cert, "/lab/x.pem");
    assert_string_equal(file->tls.key, "/k");
    free(file);
    (void)snprintf(text, sizeof text,
                   "{\"version\":1," AGENTS "%s{\"ca\":\"/c\"}}", bench);
    check_err(parse(&file, text), ERR_INVALID);
    check_says(why, "all of ca, cert and key");
    (void)snprintf(text, sizeof text,
                   "{\"version\":1," AGENTS "%s{\"keys\":\"/c\"}}", bench);
    check_err(parse(&file, text), ERR_INVALID);
    check_says(why, "keys");
    (void)snprintf(text, sizeof text, "{\"version\":1," AGENTS "%s\"\"}",
                   bench);
    check_err(parse(&file, text), ERR_INVALID);
}

static void all_benches_work_unless_some_are_chosen_by_name(void **state)
{
    (void)state;
    struct lab_file *file = NULL;
    struct lab_places places;
    check_ok(parse(&file, "{\"version\":1," AGENTS
                          ",\"benches\":[{\"name\":\"a\",\"target\":\"srv\"},"
                          "{\"name\":\"b\",\"target\":\"gen1\"},"
                          "{\"name\":\"c\",\"target\":\"gen2\"}]}"),
             why);
    check_ok(lab_file_benches(file, NULL, &places, &why), why);
    assert_int_equal(places.n, 3);
    check_ok(lab_file_benches(file, "c,a", &places, &why), why);
    assert_int_equal(places.n, 2);
    assert_string_equal(places.items[0].agents[0].name, "gen2");
    assert_string_equal(places.items[1].agents[0].name, "srv");
    check_ok(lab_file_benches(file, "b", &places, &why), why);
    assert_int_equal(places.n, 1);
    check_err(lab_file_benches(file, "b,x", &places, &why), ERR_USAGE);
    check_says(why, "--bench \"x\": the lab file has: a, b, c");
    check_err(lab_file_benches(file, "b,b", &places, &why), ERR_USAGE);
    free(file);
}

static void benches_at_work_have_no_agent_in_common(void **state)
{
    (void)state;
    struct lab_file *file = NULL;
    struct lab_places places;
    check_ok(parse(&file, "{\"version\":1," AGENTS
                          ",\"benches\":[{\"name\":\"a\",\"target\":\"srv\"},"
                          "{\"name\":\"b\",\"target\":\"gen1\",\"load\":"
                          "[\"srv\"]}]}"),
             why);
    check_err(lab_file_benches(file, NULL, &places, &why), ERR_USAGE);
    check_says(why, "benches a and b both have agent srv");
    check_ok(lab_file_benches(file, "b", &places, &why), why);
    free(file);
}

static void refuses(const char *json, const char *says)
{
    struct lab_file *file = NULL;
    check_err(parse(&file, json), ERR_INVALID);
    assert_null(file);
    check_says(why, "lab.json");
    check_says(why, says);
}

static void faults_are_named_with_their_place(void **state)
{
    (void)state;
    refuses("[]", "accepted is an object");
    refuses("{\"agents\":[]}", "\"version\": 1");
    refuses("{\"version\":1,\"hosts\":[]}", "hosts");
    refuses("{\"version\":1}", "\"agents\", a list of 1 to 64");
    refuses("{\"version\":1,\"agents\":[{\"name\":\"a\"}]}", "\"url\", a text");
    refuses("{\"version\":1,\"agents\":[{\"name\":\"a\",\"url\":\"x\"},"
            "{\"name\":\"a\",\"url\":\"y\"}]}",
            "a name that no other agent has");
    refuses("{\"version\":1," AGENTS "}", "\"benches\", a list of 1 to 16");
    refuses("{\"version\":1," AGENTS ",\"benches\":[3]}", "an object");
    refuses("{\"version\":1," AGENTS ",\"benches\":[{\"name\":\"b\"}]}",
            "\"target\"");
    refuses("{\"version\":1," AGENTS
            ",\"benches\":[{\"name\":\"b\",\"target\":\"nobody\"}]}",
            "the name of one of \"agents\"");
    refuses("{\"version\":1," AGENTS
            ",\"benches\":[{\"name\":\"b\",\"target\":\"srv\",\"load\":"
            "[\"srv\"]}]}",
            "each agent once");
    refuses("{\"version\":1," AGENTS
            ",\"benches\":[{\"name\":\"b\",\"target\":\"srv\",\"load\":"
            "\"gen1\"}]}",
            "a list of at most 16 names");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bench_has_its_target_first),
        cmocka_unit_test(tls_is_a_folder_or_three_files),
        cmocka_unit_test(all_benches_work_unless_some_are_chosen_by_name),
        cmocka_unit_test(benches_at_work_have_no_agent_in_common),
        cmocka_unit_test(faults_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
