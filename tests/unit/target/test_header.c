#include <stdio.h>

#include "target/header.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

/* Append a text as one piece. */
static bool append(struct world *w, struct header *h, const char *text)
{
    heap_ref r = world_object(w, text, strlen(text));
    bool ok = header_append(h, w->m, r, 0, strlen(text));
    heap_release(w->m, r);
    return ok;
}

/* 128 chars of two bytes: al(16 + 256) = 272. */
static void header_starts_with_the_initial_buffer(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct header h;
    assert_true(header_init(&h, w.m, 128));
    assert_int_equal(world_used(&w), 272);
    header_fini(&h, w.m);
    world_close(&w);
}

/* Four chars, a line of 17 before its line feed: 4 -> 8 -> 16 -> 32 chars,
 * arrays of 32, 48, 80 bytes with the header of 16. */
static void header_doubles_until_a_line_fits_and_never_shrinks(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct header h;
    struct heap_stats s;
    assert_true(header_init(&h, w.m, 4));
    heap_ref line = world_object(&w, "12345678901234567\n", 18);
    heap_stats_reset(w.heap);
    assert_true(header_append(&h, w.m, line, 0, 18));
    heap_stats(w.heap, NULL, &s);
    assert_int_equal(s.alloc_count, 3);
    assert_int_equal(s.alloc_bytes, 32 + 48 + 80);
    assert_int_equal(h.capacity, 32);
    assert_int_equal(h.length, 0); /* the line has ended */
    assert_true(append(&w, &h, "short\n"));
    assert_int_equal(h.capacity, 32);
    heap_release(w.m, line);
    header_fini(&h, w.m);
    world_close(&w);
}

static void header_keeps_the_chars_of_a_line_cut_anywhere(void **state)
{
    (void)state;
    static const char line[] = "Accept: */*";
    for (size_t cut = 0; cut < sizeof line; cut++) {
        struct world w = world_open(2 * MB);
        struct header h;
        assert_true(header_init(&h, w.m, 2));
        heap_ref r = world_object(&w, line, sizeof line - 1);
        assert_true(header_append(&h, w.m, r, 0, cut));
        assert_true(header_append(&h, w.m, r, cut, sizeof line - 1 - cut));
        assert_int_equal(h.length, sizeof line - 1);
        const uint16_t *chars = heap_ptr(w.m, h.chars);
        for (size_t i = 0; i < sizeof line - 1; i++)
            assert_int_equal(chars[i], line[i]);
        heap_release(w.m, r);
        header_fini(&h, w.m);
        world_close(&w);
    }
}

static void header_unwinds_when_it_cannot_grow(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct header h;
    assert_true(header_init(&h, w.m, 4));
    heap_ref r = world_object(&w, "12345", 5);
    heap_ref ballast = world_fill(&w, 24); /* 8 chars would need 32 */
    assert_false(header_append(&h, w.m, r, 0, 5));
    assert_int_equal(h.capacity, 4);
    heap_release(w.m, ballast);
    heap_release(w.m, r);
    header_fini(&h, w.m);
    world_close(&w);
}

/* The parser starts an unfinished line over: its chars are those of the line,
 * not those and once more. */
static void header_reads_an_unfinished_line_again(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct header h;
    assert_true(header_init(&h, w.m, 16));
    heap_ref r = world_object(&w, "Host: x", 7);
    assert_true(header_append(&h, w.m, r, 0, 7));
    assert_true(header_again(&h, w.m, r, 0, 7));
    assert_int_equal(h.length, 7);
    assert_int_equal(h.capacity, 16);
    heap_release(w.m, r);
    header_fini(&h, w.m);
    world_close(&w);
}

/* The strings of one line. */
static void expect_strings(const char *line, enum header_line kind,
                           uint64_t count, uint64_t bytes)
{
    struct world w = world_open(2 * MB);
    struct heap_stats s;
    heap_ref r = world_object(&w, line, strlen(line));
    heap_stats_reset(w.heap);
    assert_true(header_strings(w.m, r, 0, strlen(line), kind));
    heap_stats(w.heap, NULL, &s);
    if (s.alloc_count != count || s.alloc_bytes != bytes)
        fail_msg("%s: %llu objects, %llu bytes", line,
                 (unsigned long long)s.alloc_count,
                 (unsigned long long)s.alloc_bytes);
    heap_release(w.m, r);
    world_close(&w);
}

/* A string is 24 and an array of its characters, al(16 + n). */
static void header_makes_the_strings_of_a_line(void **state)
{
    (void)state;
    /* "POST" 24 + 24, "/geo/_bulk" 24 + 32, "HTTP/1.1" 24 + 24. */
    expect_strings("POST /geo/_bulk HTTP/1.1\r\n", HEADER_REQUEST, 6,
                   48 + 56 + 48);
    expect_strings("GET  /  HTTP/1.1\n", HEADER_REQUEST, 6, 48 + 48 + 48);
    /* "Host" 48, "localhost:9200" 24 + 32, an entry of 40. */
    expect_strings("Host: localhost:9200\r\n", HEADER_FIELD, 5, 48 + 56 + 40);
    expect_strings("Host:\tlocalhost:9200\r\n", HEADER_FIELD, 5, 48 + 56 + 40);
    /* An empty value: 24 + 16. */
    expect_strings("X-Empty:\r\n", HEADER_FIELD, 5, 48 + 40 + 40);
    expect_strings("strange\r\n", HEADER_FIELD, 5, 48 + 40 + 40);
    /* A header of 500 bytes: "X" and 497, al(513) = 520. */
    char line[600];
    (void)snprintf(line, sizeof line, "X: %0497d\r\n", 0);
    expect_strings(line, HEADER_FIELD, 5, 48 + 24 + 520 + 40);
    expect_strings("2000\r\n", HEADER_CHUNK, 2, 48);
    /* The line that ends the head. */
    expect_strings("\r\n", HEADER_FIELD, 0, 0);
}

static void header_strings_stop_where_the_heap_is_full(void **state)
{
    (void)state;
    for (uint64_t left = 0; left <= 40; left += 8) {
        struct world w = world_open(2 * MB);
        heap_ref r = world_object(&w, "A: b\r\n", 6);
        heap_ref ballast = world_fill(&w, left);
        assert_int_equal(header_strings(w.m, r, 0, 6, HEADER_FIELD),
                         left >= 40);
        heap_release(w.m, ballast);
        heap_release(w.m, r);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_starts_with_the_initial_buffer),
        cmocka_unit_test(header_doubles_until_a_line_fits_and_never_shrinks),
        cmocka_unit_test(header_keeps_the_chars_of_a_line_cut_anywhere),
        cmocka_unit_test(header_unwinds_when_it_cannot_grow),
        cmocka_unit_test(header_reads_an_unfinished_line_again),
        cmocka_unit_test(header_makes_the_strings_of_a_line),
        cmocka_unit_test(header_strings_stop_where_the_heap_is_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
