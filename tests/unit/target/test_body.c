#include "target/body.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

/* The body as text. */
static const char *text_of(struct world *w, const struct body *b, char *to,
                           size_t size)
{
    to[body_peek(b, w->m, to, size - 1)] = '\0';
    return to;
}

static void body_keeps_slices_in_order(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    char text[64];
    body_init(&b, 1024);
    world_slice(&w, &b, "one ", 4);
    world_slice(&w, &b, "two ", 4);
    world_slice(&w, &b, "three", 5);
    assert_int_equal(b.bytes, 13);
    assert_string_equal(text_of(&w, &b, text, sizeof text), "one two three");
    assert_int_equal(body_peek(&b, w.m, text, 6), 6);
    body_release(&b, w.m);
    assert_int_equal(b.bytes, 0);
    body_fini(&b);
    world_close(&w);
}

/* Each component costs 104 bytes of small garbage, and the first an array of 16
 * references: 16 + 16 * 4 = 80. */
static void body_add_makes_the_garbage_of_a_component(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    struct heap_stats s;
    body_init(&b, 1024);
    heap_ref r = world_object(&w, "abcdef", 6);
    heap_stats_reset(w.heap);
    assert_true(body_add(&b, w.m, r, 0, 3));
    assert_true(body_add(&b, w.m, r, 3, 3));
    heap_stats(w.heap, NULL, &s);
    assert_int_equal(s.alloc_count, 3);
    assert_int_equal(s.alloc_bytes, 104 + 80 + 104);
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

/* The component array of a Netty server grows by half: 16, 24, 36 references,
 * arrays of 80, 112, 160 bytes for 25 components; and begins anew with the next
 * request. */
static void body_add_makes_the_garbage_of_growing_arrays(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    struct heap_stats s;
    body_init(&b, 1024);
    heap_ref r = world_object(&w, "abcdef", 6);
    heap_stats_reset(w.heap);
    for (int i = 0; i < 25; i++)
        assert_true(body_add(&b, w.m, r, 0, 6));
    heap_stats(w.heap, NULL, &s);
    assert_int_equal(s.alloc_bytes, 25 * 104 + 80 + 112 + 160);
    body_release(&b, w.m);
    r = world_object(&w, "abcdef", 6);
    heap_stats_reset(w.heap);
    assert_true(body_add(&b, w.m, r, 0, 6));
    heap_stats(w.heap, NULL, &s);
    assert_int_equal(s.alloc_bytes, 104 + 80);
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

static void a_buffer_lives_while_any_slice_of_it_does(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    body_init(&b, 1024);
    heap_ref r = world_object(&w, "abcdef", 6);
    assert_true(body_add(&b, w.m, r, 0, 3));
    assert_true(body_add(&b, w.m, r, 3, 3));
    assert_true(body_holds(&b, r));
    assert_int_equal(world_used(&w), 24); /* al(16 + 6) */
    body_release(&b, w.m);                /* once, though two slices held it */
    assert_int_equal(world_used(&w), 0);
    assert_false(body_holds(&b, r));
    body_fini(&b);
    world_close(&w);
}

static void body_release_spares_the_buffer_still_being_decoded(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    body_init(&b, 1024);
    world_slice(&w, &b, "abc", 3);
    heap_ref r = world_object(&w, "defGET", 6);
    assert_true(body_add(&b, w.m, r, 0, 3));
    b.keep = r;
    body_release(&b, w.m);
    assert_int_equal(world_used(&w), 24);
    assert_string_equal((const char *)heap_ptr(w.m, r) + 3, "GET");
    heap_release(w.m, r);
    body_fini(&b);
    world_close(&w);
}

/* Of 3 components allowed the fourth makes one array of all bytes: 4 x 10 = 40
 * -> 56 bytes with the header, and the sources are released. */
static void one_component_too_many_consolidates(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    char text[64];
    body_init(&b, 3);
    for (int i = 0; i < 3; i++)
        world_slice(&w, &b, "0123456789", 10);
    assert_int_equal(b.n_parts, 3);
    world_slice(&w, &b, "abcdefghij", 10);
    assert_int_equal(b.n_parts, 1);
    assert_int_equal(world_used(&w), 56);
    assert_string_equal(text_of(&w, &b, text, sizeof text),
                        "012345678901234567890123456789abcdefghij");
    /* Two more fit, the third consolidates again. */
    world_slice(&w, &b, "x", 1);
    world_slice(&w, &b, "y", 1);
    assert_int_equal(b.n_parts, 3);
    world_slice(&w, &b, "z", 1);
    assert_int_equal(b.n_parts, 1);
    assert_int_equal(b.bytes, 43);
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

/* The formula of target-memory.md section b: bytes copied for a body of C
 * chunks with at most M components. C = 9, M = 3: the first copy has 4 chunks,
 * then every 3 more: 4, 7; 9 ends before 10. 11 chunks of 8 bytes: 88. */
static void consolidations_copy_quadratically(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    struct heap_stats before, after;
    body_init(&b, 3);
    heap_stats(w.heap, NULL, &before);
    for (int i = 0; i < 9; i++)
        world_slice(&w, &b, "12345678", 8);
    heap_stats(w.heap, NULL, &after);
    /* 9 objects of 24, 9 x 104 of garbage, the array of 4 references, arrays of
     * 16 + 32 and 16 + 56. */
    assert_int_equal(after.alloc_bytes - before.alloc_bytes,
                     9 * 24 + 9 * 104 + 32 + 48 + 72);
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

static void body_copy_makes_one_array_and_frees_the_rest(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct body b;
    char text[64];
    body_init(&b, 1024);
    assert_true(body_copy(&b, w.m)); /* an empty body needs none */
    assert_int_equal(b.n_parts, 0);
    world_sliced(&w, &b, "the quick brown fox", 19, 4);
    assert_true(body_copy(&b, w.m));
    assert_int_equal(b.n_parts, 1);
    assert_int_equal(world_used(&w), 40); /* al(16 + 19) */
    assert_string_equal(text_of(&w, &b, text, sizeof text),
                        "the quick brown fox");
    body_release(&b, w.m);
    body_fini(&b);
    world_close(&w);
}

/* With every amount of room left, body_add either succeeds or says no and
 * leaves a body that can be released. */
static void body_add_unwinds_at_every_allocation(void **state)
{
    (void)state;
    for (uint64_t left = 0, done = 0; !done; left += 8) {
        struct world w = world_open(2 * MB);
        struct body b;
        body_init(&b, 2);
        world_slice(&w, &b, "01234567", 8);
        world_slice(&w, &b, "01234567", 8);
        heap_ref r = world_object(&w, "01234567", 8);
        heap_ref ballast = world_fill(&w, left);
        b.keep = r;
        done = body_add(&b, w.m, r, 0, 8);
        /* Garbage of 104 first, released, then the array of 16 + 24. */
        assert_int_equal(done, left >= 104);
        body_release(&b, w.m);
        heap_release(w.m, r);
        heap_release(w.m, ballast);
        body_fini(&b);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_keeps_slices_in_order),
        cmocka_unit_test(body_add_makes_the_garbage_of_a_component),
        cmocka_unit_test(body_add_makes_the_garbage_of_growing_arrays),
        cmocka_unit_test(a_buffer_lives_while_any_slice_of_it_does),
        cmocka_unit_test(body_release_spares_the_buffer_still_being_decoded),
        cmocka_unit_test(one_component_too_many_consolidates),
        cmocka_unit_test(consolidations_copy_quadratically),
        cmocka_unit_test(body_copy_makes_one_array_and_frees_the_rest),
        cmocka_unit_test(body_add_unwinds_at_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
