#include <stdlib.h>

#include "load/http_head.h"
#include "tests/lib/check.h"

static void writes(const struct http_head *head, const char *expected)
{
    char buf[512];
    size_t len = http_head_write(head, buf, sizeof buf);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(buf, expected, len);
    assert_true(len <= http_head_max(head));
    /* every size that is too small says so */
    for (size_t size = 0; size <= len; size++)
        assert_int_equal(http_head_write(head, buf, size), 0);
    assert_int_equal(http_head_write(head, buf, len + 1), len);
}

static void http_head_says_what_is_needed(void **state)
{
    (void)state;
    struct http_head head = {
        .method = "GET", .path = "/", .host = "h:1", .headers = ""};
    writes(&head, "GET / HTTP/1.1\r\nHost: h:1\r\n\r\n");
    head.content_type = "a/b"; /* of a body that is not there */
    writes(&head, "GET / HTTP/1.1\r\nHost: h:1\r\n\r\n");
    head.method = "POST";
    writes(&head, "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n");
    head.has_body = true;
    head.body_bytes = 12;
    writes(&head, "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Type: a/b\r\n"
                  "Content-Length: 12\r\n\r\n");
    head.method = "DELETE";
    head.content_type = NULL;
    head.headers = "A: b\r\nC: d\r\n";
    writes(&head, "DELETE / HTTP/1.1\r\nHost: h:1\r\nA: b\r\nC: d\r\n"
                  "Content-Length: 12\r\n\r\n");
}

static void http_head_gives_way_to_given_headers(void **state)
{
    (void)state;
    const struct http_head head = {.method = "PUT",
                                   .path = "/x",
                                   .host = "h",
                                   .headers = "HOST: other\r\ncontent-TYPE: "
                                              "x/y\r\n",
                                   .content_type = "a/b",
                                   .has_body = true,
                                   .body_bytes = 1};
    writes(&head, "PUT /x HTTP/1.1\r\nHOST: other\r\ncontent-TYPE: x/y\r\n"
                  "Content-Length: 1\r\n\r\n");
}

static void http_head_has_looks_at_names_only(void **state)
{
    (void)state;
    assert_true(http_head_has("A: 1\r\nHost: x\r\n", "host"));
    assert_false(http_head_has("A: Host: x\r\n", "Host"));
    assert_false(http_head_has("Hostile: x\r\n", "Host"));
    assert_false(http_head_has("", "Host"));
}

static bool take(void *ctx, const char *line)
{
    char *all = ctx;
    (void)strcat(strcat(all, line), "|");
    return strcmp(line, "Stop: here") != 0;
}

static void http_head_is_taken_apart_as_it_was_written(void **state)
{
    (void)state;
    static const char head[] = "PUT /a?b HTTP/1.1\r\nHost: h\r\nX:\r\n"
                               "content-type: t\r\nContent-Length: 12\r\n\r\n";
    static const char get[] = "GET / HTTP/1.1\r\nStop: here\r\nY: 1\r\n\r\n";
    struct http_head_parts parts;
    char all[256] = "";
    assert_true(http_head_take(&parts, head, sizeof head - 1));
    assert_string_equal(parts.method, "PUT");
    assert_string_equal(parts.path, "/a?b");
    assert_true(parts.has_length && parts.has_type);
    assert_true(http_head_each(&parts, take, all));
    assert_string_equal(all, "Host: h|X:|content-type: t|");
    free(parts.text);
    /* 19 + 9 + 4 + 17 bytes come before Content-Length */
    assert_int_equal(http_head_common(head, sizeof head - 1), 49);
    assert_int_equal(http_head_common(get, sizeof get - 1), sizeof get - 1);
    *all = 0;
    assert_true(http_head_take(&parts, get, sizeof get - 1));
    assert_false(parts.has_length || parts.has_type);
    assert_false(http_head_each(&parts, take, all));
    assert_string_equal(all, "Stop: here|");
    free(parts.text);
    assert_false(http_head_take(&parts, "GET", 3));
    free(parts.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(http_head_says_what_is_needed),
        cmocka_unit_test(http_head_gives_way_to_given_headers),
        cmocka_unit_test(http_head_has_looks_at_names_only),
        cmocka_unit_test(http_head_is_taken_apart_as_it_was_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
