#include <stdio.h>
#include <stdlib.h>

#include "common/json_build.h"
#include "target/templates.h"
#include "tests/lib/check.h"

static struct why why;

static enum err put(struct templates *t, enum template_kind kind,
                    const char *name, const char *text)
{
    return templates_put(t, kind, name, text, strlen(text), &why);
}

/* Those of a name as they are shown; "": none. */
static const char *shown(struct templates *t, enum template_kind kind,
                         const char *name, char *buf, size_t size)
{
    FILE *out = fmemopen(buf, size, "w");
    assert_non_null(out);
    (void)templates_show(t, kind, name, out);
    (void)fputc('\0', out);
    assert_int_equal(fclose(out), 0);
    return buf;
}

/* The creation of an index with this body, after its templates. */
static struct creation created(struct templates *t, const char *index,
                               const char *body, char *text, size_t size)
{
    struct creation c;
    check_ok(creation_parse(&c, body, strlen(body), 5, &why), why);
    check_ok(templates_apply(t, index, &c, 5, &why), why);
    char *all = c.body ? jv_print(c.body, false) : NULL;
    (void)snprintf(text, size, "%s", all ? all : "");
    free(all);
    creation_free(&c);
    return c;
}

static void templates_are_kept_shown_and_dropped(void **state)
{
    (void)state;
    char buf[400];
    struct templates *t = templates_new();
    assert_non_null(t);
    check_ok(put(t, TEMPLATE_OLD, "a", "{\"index_patterns\":[\"a-*\"]}"), why);
    check_ok(put(t, TEMPLATE_OLD, "a", "{\"index_patterns\":\"b-*\"}"), why);
    assert_string_equal(shown(t, TEMPLATE_OLD, "a", buf, sizeof buf),
                        "{\"a\":{\"index_patterns\":\"b-*\"}}");
    assert_string_equal(shown(t, TEMPLATE_OLD, "b", buf, sizeof buf), "");
    assert_string_equal(shown(t, TEMPLATE_INDEX, "", buf, sizeof buf),
                        "{\"index_templates\":[]}");
    check_ok(put(t, TEMPLATE_COMPONENT, "c", "{\"template\":{}}"), why);
    assert_string_equal(shown(t, TEMPLATE_COMPONENT, "*", buf, sizeof buf),
                        "{\"component_templates\":[{\"name\":\"c\","
                        "\"component_template\":{\"template\":{}}}]}");
    assert_false(templates_drop(t, TEMPLATE_INDEX, "a"));
    assert_true(templates_drop(t, TEMPLATE_OLD, "a"));
    assert_string_equal(shown(t, TEMPLATE_OLD, "", buf, sizeof buf), "{}");
    templates_free(t);
}

static void templates_say_what_they_lack(void **state)
{
    (void)state;
    char name[16];
    struct templates *t = templates_new();
    check_err(put(t, TEMPLATE_OLD, "x", "{}"), ERR_INVALID);
    check_says(why, "index patterns are missing");
    check_err(put(t, TEMPLATE_INDEX, "x", "[1]"), ERR_INVALID);
    check_says(why, "the template is no object");
    check_err(put(t, TEMPLATE_COMPONENT, "x", "{\"template\":5}"), ERR_INVALID);
    check_says(why, "Required [template]");
    check_err(put(t, TEMPLATE_INDEX, "x",
                  "{\"index_patterns\":[\"*\"],\"composed_of\":[\"y\"]}"),
              ERR_INVALID);
    check_says(why, "index template [x] invalid, cause [it is composed of [y]");
    check_err(put(t, TEMPLATE_OLD, "x", "{"), ERR_INVALID);
    for (unsigned i = 0; i < TEMPLATES_MAX; i++) {
        (void)snprintf(name, sizeof name, "%u", i);
        check_ok(put(t, TEMPLATE_COMPONENT, name, "{\"template\":{}}"), why);
    }
    check_err(put(t, TEMPLATE_COMPONENT, "more", "{\"template\":{}}"),
              ERR_RANGE);
    check_ok(put(t, TEMPLATE_COMPONENT, "7", "{\"template\":{}}"), why);
    templates_free(t);
}

static void an_index_has_what_its_templates_say(void **state)
{
    (void)state;
    char text[600];
    struct templates *t = templates_new();
    struct creation c = created(t, "x-1", "", text, sizeof text);
    assert_int_equal(c.shards, 5);
    assert_string_equal(text, "");
    check_ok(put(t, TEMPLATE_OLD, "late",
                 "{\"index_patterns\":[\"x*1\"],\"order\":2,\"settings\":{"
                 "\"number_of_shards\":3,\"index.refresh_interval\":\"7s\"}}"),
             why);
    check_ok(put(t, TEMPLATE_OLD, "early",
                 "{\"template\":\"x-*\",\"settings\":{\"index\":{"
                 "\"number_of_shards\":2}},\"mappings\":{\"doc\":{"
                 "\"properties\":{\"a\":{\"type\":\"text\"}}}}}"),
             why);
    c = created(t, "x-1", "", text, sizeof text);
    assert_int_equal(c.shards, 3); /* the higher order's */
    assert_true(c.refresh_ns == 7000000000ull);
    assert_non_null(strstr(text, "\"mappings\":{\"properties\":{\"a\""));
    c = created(t, "x-2", "{\"settings\":{\"index.number_of_shards\":\"4\"}}",
                text, sizeof text);
    assert_int_equal(c.shards, 4); /* the request's own */
    c = created(t, "y-1", "{\"settings\":{}}", text, sizeof text);
    assert_int_equal(c.shards, 5);
    templates_free(t);
}

static void the_composable_one_of_highest_priority_stands_alone(void **state)
{
    (void)state;
    char text[600];
    struct templates *t = templates_new();
    check_ok(put(t, TEMPLATE_OLD, "old",
                 "{\"index_patterns\":[\"*\"],\"settings\":{"
                 "\"number_of_shards\":9,\"refresh_interval\":\"9s\"}}"),
             why);
    check_ok(put(t, TEMPLATE_COMPONENT, "part",
                 "{\"template\":{\"settings\":{\"number_of_shards\":2},"
                 "\"mappings\":{\"properties\":{\"p\":{\"type\":\"keyword\"}"
                 "}}}}"),
             why);
    check_ok(put(t, TEMPLATE_INDEX, "low",
                 "{\"index_patterns\":[\"l*\"],\"priority\":1,\"template\":{"
                 "\"settings\":{\"number_of_shards\":7}}}"),
             why);
    check_ok(put(t, TEMPLATE_INDEX, "high",
                 "{\"index_patterns\":[\"lo*\"],\"priority\":5,"
                 "\"composed_of\":[\"part\"],\"template\":{\"mappings\":{"
                 "\"properties\":{\"q\":{\"type\":\"text\"}}}}}"),
             why);
    struct creation c =
        created(t, "logs",
                "{\"mappings\":{\"properties\":{\"p\":{\"type\":\"text\"}}"
                "}}",
                text, sizeof text);
    assert_int_equal(c.shards, 2);
    assert_true(c.refresh_ns == CREATION_REFRESH_NS);
    assert_non_null(strstr(text, "\"p\":{\"type\":\"text\"}"));
    assert_non_null(strstr(text, "\"q\":{\"type\":\"text\"}"));
    c = created(t, "lx", "", text, sizeof text);
    assert_int_equal(c.shards, 7);
    c = created(t, "zz", "", text, sizeof text);
    assert_int_equal(c.shards, 9);
    templates_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_are_kept_shown_and_dropped),
        cmocka_unit_test(templates_say_what_they_lack),
        cmocka_unit_test(an_index_has_what_its_templates_say),
        cmocka_unit_test(the_composable_one_of_highest_priority_stands_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
