/* The ids of scrolls: what was written is read, whatever else is refused. */
#include <stdio.h>

#include "target/scroll.h"
#include "tests/lib/check.h"

static const struct scroll somewhere = {.index = "geo",
                                        .size = 40,
                                        .shard = 2,
                                        .after = 123,
                                        .total = 250,
                                        .body = "{\"a\":[1,2]}",
                                        .body_len = 11};

static void is_same(const struct scroll *a, const struct scroll *b)
{
    assert_string_equal(a->index, b->index);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->shard, b->shard);
    assert_int_equal(a->after, b->after);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->body_len, b->body_len);
    assert_memory_equal(a->body, b->body, a->body_len);
}

static void scroll_read_takes_what_was_written(void **state)
{
    (void)state;
    char id[SCROLL_ID_BYTES], text[SCROLL_ID_BYTES + 64];
    struct scroll s;
    struct why why = {0};
    scroll_write(&somewhere, id);
    /* "1,geo,40,2,123,250,{"a":[1,2]}" */
    assert_string_equal(id, "312c67656f2c34302c322c3132332c3235302c7b2261223a5b"
                            "312c325d7d");
    (void)snprintf(text, sizeof text,
                   "{\"scroll\": \"10s\", \"scroll_id\": \"%s\"}", id);
    check_ok(scroll_parse(&s, text, strlen(text), &why), why);
    is_same(&s, &somewhere);
}

static void scroll_write_has_room_for_the_largest(void **state)
{
    (void)state;
    char id[SCROLL_ID_BYTES];
    struct scroll s, most = {.size = UINT32_MAX,
                             .shard = UINT32_MAX,
                             .after = INT64_MAX,
                             .total = INT64_MAX,
                             .body_len = SCROLL_BODY_MAX};
    struct why why = {0};
    memset(most.index, 'x', ROUTE_NAME_MAX);
    memset(most.body, ',', SCROLL_BODY_MAX);
    scroll_write(&most, id);
    check_ok(scroll_read(&s, id, strlen(id), &why), why);
    is_same(&s, &most);
}

static void scroll_read_refuses_what_is_none(void **state)
{
    (void)state;
    static const char *const ids[] = {
        "",
        "3",
        "zz",
        "00",
        "312c",
        "322c67656f2c312c312c312c312c",
        "312c67656f2c2d312c312c312c312c" /* a size of -1 */};
    struct scroll s;
    struct why why = {0};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        check_err(scroll_read(&s, ids[i], strlen(ids[i]), &why), ERR_INVALID);
    static char longer[SCROLL_ID_BYTES + 2];
    memset(longer, '1', sizeof longer - 2);
    check_err(scroll_read(&s, longer, sizeof longer - 2, &why), ERR_INVALID);
    check_says(why, "Cannot parse scroll id");
    check_err(scroll_parse(&s, "{}", 2, &why), ERR_INVALID);
    check_says(why, "scrollId is missing");
    check_err(scroll_parse(&s, "{", 1, &why), ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scroll_read_takes_what_was_written),
        cmocka_unit_test(scroll_write_has_room_for_the_largest),
        cmocka_unit_test(scroll_read_refuses_what_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
