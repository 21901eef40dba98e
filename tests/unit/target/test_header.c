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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_starts_with_the_initial_buffer),
        cmocka_unit_test(header_doubles_until_a_line_fits_and_never_shrinks),
        cmocka_unit_test(header_keeps_the_chars_of_a_line_cut_anywhere),
        cmocka_unit_test(header_unwinds_when_it_cannot_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
