#include <stdio.h>

#include "target/bulk.h"
#include "target/bulk_action.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

/* Read all lines of a body, joined by '|' and with the kind of the last. */
static const char *lines_of(struct world *w, const struct body *b, char *to,
                            enum bulk_line *last)
{
    struct bulk lines = bulk_begin(b, w->m, false);
    struct bulk_cursor line;
    enum bulk_line kind;
    size_t n = 0;
    *last = BULK_LINE_NONE;
    while ((kind = bulk_next(&lines, &line)) == BULK_LINE ||
           kind == BULK_LINE_LAST) {
        size_t len = (size_t)(line.end - line.p);
        assert_true(line.safe >= line.end);
        memcpy(to + n, line.p, len);
        n += len;
        to[n++] = '|';
        *last = kind;
    }
    assert_int_equal(kind, BULK_LINE_NONE);
    bulk_end(&lines);
    to[n] = '\0';
    return to;
}

static void check_lines(struct world *w, struct body *b, const char *want,
                        enum bulk_line want_last)
{
    char got[256];
    enum bulk_line last;
    assert_string_equal(lines_of(w, b, got, &last), want);
    assert_int_equal(last, want_last);
    body_release(b, w->m);
    body_fini(b);
}

/* Every text cut into slices of every length. */
static void lines_are_the_same_however_the_body_is_sliced(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
        enum bulk_line last;
    } cases[] = {{"a\nbc\ndef\n", "a|bc|def|", BULK_LINE},
                 {"a\nbc\ndef", "a|bc|def|", BULK_LINE_LAST},
                 {"\n\n\n", "|||", BULK_LINE},
                 {"\n", "|", BULK_LINE},
                 {"x", "x|", BULK_LINE_LAST},
                 {"", "", BULK_LINE_NONE},
                 {"one line longer than most slices\nshort\n",
                  "one line longer than most slices|short|", BULK_LINE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t step = 1; step <= 40; step++) {
            struct world w = world_open(2 * MB);
            struct body b;
            body_init(&b, 1024);
            world_sliced(&w, &b, cases[i].text, strlen(cases[i].text), step);
            check_lines(&w, &b, cases[i].lines, cases[i].last);
            world_close(&w);
        }
}

/* A body of two buffers, cut at every position. */
static void lines_are_the_same_at_every_cut(void **state)
{
    (void)state;
    static const char text[] = "{\"index\":{}}\n{\"a\":\"b\"}\n\nlast\n";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct world w = world_open(2 * MB);
        struct body b;
        body_init(&b, 1024);
        if (cut)
            world_slice(&w, &b, text, cut);
        if (cut < sizeof text - 1)
            world_slice(&w, &b, text + cut, sizeof text - 1 - cut);
        check_lines(&w, &b, "{\"index\":{}}|{\"a\":\"b\"}||last|", BULK_LINE);
        world_close(&w);
    }
}

/* Neighbouring slices of one buffer are one run: a line over them is read in
 * place. A slice that is no neighbour breaks the run. */
static void lines_inside_one_buffer_are_not_copied(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    struct bulk_cursor line;
    struct heap_stats before, after;
    body_init(&b, 1024);
    heap_ref r = world_object(&w, "0123456789\nabc\n", 15);
    assert_true(body_add(&b, w.m, r, 0, 4));
    assert_true(body_add(&b, w.m, r, 4, 9));
    assert_true(body_add(&b, w.m, r, 13, 2));
    struct bulk lines = bulk_begin(&b, w.m, false);
    heap_stats(w.heap, NULL, &before);
    assert_int_equal(bulk_next(&lines, &line), BULK_LINE);
    assert_memory_equal(line.p, "0123456789", 10);
    assert_int_equal(line.safe - line.p, 15);
    assert_int_equal(bulk_next(&lines, &line), BULK_LINE);
    assert_memory_equal(line.p, "abc", 3);
    assert_int_equal(lines.number, 2);
    heap_stats(w.heap, NULL, &after);
    assert_int_equal(after.alloc_count, before.alloc_count);
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

/* A line over two buffers is copied into an array of its own length, which is
 * dead at the next line: 7 bytes, al(16 + 7) = 24. */
static void
a_line_over_two_buffers_is_copied_for_as_long_as_needed(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    struct bulk_cursor line;
    body_init(&b, 1024);
    world_slice(&w, &b, "a\n1234", 6);
    world_slice(&w, &b, "567\nz\n", 6);
    uint64_t used = world_used(&w);
    struct bulk lines = bulk_begin(&b, w.m, false);
    assert_int_equal(bulk_next(&lines, &line), BULK_LINE);
    assert_int_equal(world_used(&w), used);
    assert_int_equal(bulk_next(&lines, &line), BULK_LINE);
    assert_int_equal(line.end - line.p, 7);
    assert_memory_equal(line.p, "1234567", 7);
    assert_ptr_equal(line.safe, line.end);
    assert_int_equal(world_used(&w), used + 24);
    assert_int_equal(bulk_next(&lines, &line), BULK_LINE);
    assert_int_equal(world_used(&w), used);
    assert_memory_equal(line.p, "z", 1);
    assert_int_equal(bulk_next(&lines, &line), BULK_LINE_NONE);
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

static void bulk_next_unwinds_when_a_copy_does_not_fit(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    struct bulk_cursor line;
    body_init(&b, 1024);
    world_slice(&w, &b, "1234", 4);
    world_slice(&w, &b, "567\n", 4);
    heap_ref ballast = world_fill(&w, 16); /* 24 are needed */
    struct bulk lines = bulk_begin(&b, w.m, false);
    assert_int_equal(bulk_next(&lines, &line), BULK_LINE_OOM);
    bulk_end(&lines);
    heap_release(w.m, ballast);
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

static void bulk_terminated_looks_at_the_last_byte(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    body_init(&b, 1024);
    assert_false(bulk_terminated(&b, w.m));
    world_slice(&w, &b, "a\n", 2);
    assert_true(bulk_terminated(&b, w.m));
    world_slice(&w, &b, "b", 1);
    assert_false(bulk_terminated(&b, w.m));
    world_slice(&w, &b, "\n", 1);
    assert_true(bulk_terminated(&b, w.m));
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

/* Parse a line that ends at an unmapped page. */
static enum err parse(struct bulk_action *a, const char *text, size_t len,
                      struct why *why)
{
    char *copy = guard_copy(text, len);
    const uint8_t *p = (const uint8_t *)copy;
    enum err e =
        bulk_action_parse(a, (struct bulk_cursor){p, p + len, p + len}, 7, why);
    guard_free(copy, len);
    return e;
}

static void action_takes_what_elasticsearch_takes(void **state)
{
    (void)state;
    struct bulk_action a;
    struct why why = {0};
    static const char full[] =
        " { \"update\" : { \"_id\" : \"1\\u0041\", \"_index\":\"geo\", "
        "\"_type\":\"t\", \"routing\":\"x\", \"retry_on_conflict\":3 } } \r";
    check_ok(parse(&a, full, sizeof full - 1, &why), why);
    assert_int_equal(a.op, BULK_UPDATE);
    assert_int_equal(a.id_len, 7);
    assert_memory_equal(a.id, "1\\u0041", 7); /* as it stands */
    assert_int_equal(a.index_len, 3);
    assert_memory_equal(a.index, "geo", 3);
    assert_int_equal(a.type_len, 1);
    static const struct {
        const char *text;
        enum bulk_op op;
    } plain[] = {{"{\"index\":{}}", BULK_INDEX},
                 {"{\"create\":{}}", BULK_CREATE},
                 {"{\"delete\":{\"_id\":null}}", BULK_DELETE}};
    for (size_t i = 0; i < 3; i++) {
        check_ok(parse(&a, plain[i].text, strlen(plain[i].text), &why), why);
        assert_int_equal(a.op, plain[i].op);
        assert_int_equal(a.index_len + a.type_len + a.id_len, 0);
    }
    static const char number[] = "{\"index\":{\"_id\":17}}";
    check_ok(parse(&a, number, sizeof number - 1, &why), why);
    assert_memory_equal(a.id, "17", 2);
}

static void action_says_what_is_wrong_in_elasticsearchs_words(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } bad[] = {
        {"[]", "Malformed action/metadata line [7], expected START_OBJECT but "
               "found [START_ARRAY]"},
        {"x", "Malformed action/metadata line [7], expected START_OBJECT but "
              "found [VALUE_NUMBER]"},
        {"{}", "Malformed action/metadata line [7], expected FIELD_NAME but "
               "found [END_OBJECT]"},
        {"{", "Malformed action/metadata line [7], expected FIELD_NAME but "
              "found [END]"},
        {"{\"index\":\"x\"}",
         "Malformed action/metadata line [7], expected START_OBJECT but found "
         "[VALUE_STRING]"},
        {"{\"index\":{\"_id\":[]}}",
         "Malformed action/metadata line [7], expected a simple value for a "
         "field but found [START_ARRAY]"},
        {"{\"put\":{}}",
         "Malformed action/metadata line [7], expected field [create], "
         "[delete], [index] or [update] but found [put]"},
        {"{\"index\":{\"foo\":1}}",
         "Action/metadata line [7] contains an unknown parameter [foo]"},
        {"{\"index\":{}} x", "Malformed action/metadata line [7], text after "
                             "the document's end"},
        {"{\"index\":{}", "Malformed action/metadata line [7], expected "
                          "END_OBJECT but found [END]"},
        {"{\"index\":{\"_id\":\"\x01\"}}",
         "Malformed action/metadata line [7], control character in a string"},
        {"{\"index\" {}}", "Malformed action/metadata line [7], unexpected "
                           "character"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bulk_action a;
        struct why why = {0};
        check_err(parse(&a, bad[i].line, strlen(bad[i].line), &why),
                  ERR_INVALID);
        assert_string_equal(why.text, bad[i].reason);
    }
}

static void action_passes_over_blank_lines(void **state)
{
    (void)state;
    struct bulk_action a;
    struct why why = {0};
    check_err(parse(&a, "", 0, &why), ERR_AGAIN);
    check_err(parse(&a, " \r", 2, &why), ERR_AGAIN);
}

static void action_limits_the_length_of_names(void **state)
{
    (void)state;
    char line[700];
    struct bulk_action a;
    struct why why = {0};
    int n = snprintf(line, sizeof line, "{\"index\":{\"_id\":\"%0512d\"}}", 1);
    check_ok(parse(&a, line, (size_t)n, &why), why);
    assert_int_equal(a.id_len, 512);
    n = snprintf(line, sizeof line, "{\"index\":{\"_id\":\"%0513d\"}}", 1);
    check_err(parse(&a, line, (size_t)n, &why), ERR_INVALID);
    check_says(why, "a name of 513 bytes, at most 512");
    n = snprintf(line, sizeof line, "{\"index\":{\"_index\":\"%0256d\"}}", 1);
    check_err(parse(&a, line, (size_t)n, &why), ERR_INVALID);
    check_says(why, "at most 255");
}

static void every_prefix_of_an_action_is_refused(void **state)
{
    (void)state;
    static const char line[] =
        "{\"index\":{\"_index\":\"a\",\"_id\":\"\xc3\xa4\"}}";
    for (size_t n = 1; n < sizeof line - 1; n++) {
        struct bulk_action a;
        struct why why = {0};
        check_err(parse(&a, line, n, &why), ERR_INVALID);
        check_says(why, "[7]");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_the_same_however_the_body_is_sliced),
        cmocka_unit_test(lines_are_the_same_at_every_cut),
        cmocka_unit_test(lines_inside_one_buffer_are_not_copied),
        cmocka_unit_test(
            a_line_over_two_buffers_is_copied_for_as_long_as_needed),
        cmocka_unit_test(bulk_next_unwinds_when_a_copy_does_not_fit),
        cmocka_unit_test(bulk_terminated_looks_at_the_last_byte),
        cmocka_unit_test(action_takes_what_elasticsearch_takes),
        cmocka_unit_test(action_says_what_is_wrong_in_elasticsearchs_words),
        cmocka_unit_test(action_passes_over_blank_lines),
        cmocka_unit_test(action_limits_the_length_of_names),
        cmocka_unit_test(every_prefix_of_an_action_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
