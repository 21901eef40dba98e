#include "target/cumulation.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

/* A read of text into a buffer of capacity bytes. */
static struct input read_of(struct world *w, const char *text,
                            uint32_t capacity)
{
    struct input in = {.len = (uint32_t)strlen(text), .capacity = capacity};
    in.ref = heap_alloc(w->m, capacity);
    assert_int_not_equal(in.ref, 0);
    memcpy(heap_ptr(w->m, in.ref), text, in.len);
    return in;
}

static void expect_text(struct world *w, const struct input *in,
                        const char *text)
{
    assert_int_equal(in->len, strlen(text));
    assert_memory_equal(heap_ptr(w->m, in->ref), text, in->len);
}

/* Two buffers of al(16 + 64) = 80 become one; nothing is allocated. */
static void a_read_that_fits_goes_behind_the_line(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct cumulation c = {0};
    struct input first = read_of(&w, "A: b\r\nHos", 64);
    struct input in = read_of(&w, "t: x\r\n", 64);
    heap_ref ref = first.ref;
    cumulation_take(&c, &first, 6);
    assert_int_equal(first.ref, 0);
    assert_int_equal(world_used(&w), 2 * 80);
    assert_true(cumulation_merge(&c, w.m, &in, false));
    assert_int_equal(world_used(&w), 80);
    assert_int_equal(in.ref, ref);
    assert_int_equal(in.pos, 9);
    assert_int_equal(c.off, 6);
    assert_int_equal(c.ref, 0);
    expect_text(&w, &in, "A: b\r\nHost: x\r\n");
    heap_release(w.m, in.ref);
    world_close(&w);
}

/* 9 + 6 = 15 bytes into an array of 12: a new one of 64, the whole copied. */
static void a_buffer_of_our_own_grows_by_powers_of_two(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct cumulation c = {0};
    struct input first = read_of(&w, "A: b\r\nHos", 12);
    struct input in = read_of(&w, "t: x\r\n", 64);
    cumulation_take(&c, &first, 6);
    assert_true(cumulation_merge(&c, w.m, &in, false));
    assert_int_equal(world_used(&w), 80);
    assert_int_equal(in.capacity, 64);
    assert_int_equal(in.pos, 9);
    assert_int_equal(c.off, 6);
    expect_text(&w, &in, "A: b\r\nHost: x\r\n");
    heap_release(w.m, in.ref);
    world_close(&w);
}

/* Slices of the first buffer are held: the line alone moves, 3 + 6 bytes, and
 * the buffer, al(16 + 12) = 32, stays its holder's. */
static void a_shared_buffer_gives_the_line_away(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct cumulation c = {0};
    struct input first = read_of(&w, "A: b\r\nHos", 12);
    struct input in = read_of(&w, "t: x\r\n", 64);
    heap_ref ref = first.ref;
    cumulation_take(&c, &first, 6);
    assert_true(cumulation_merge(&c, w.m, &in, true));
    assert_int_equal(world_used(&w), 80 + 32);
    assert_int_equal(in.pos, 3);
    assert_int_equal(c.off, 0);
    expect_text(&w, &in, "Host: x\r\n");
    heap_release(w.m, in.ref);
    heap_release(w.m, ref);
    world_close(&w);
}

/* 64, 128, ... 4 MiB, then steps of 4 MiB: 4,194,305 bytes take 8,388,608. */
static void capacities_are_nettys(void **state)
{
    (void)state;
    static const struct {
        uint32_t kept, more, capacity;
    } cases[] = {{1, 1, 64},
                 {60, 4, 64},
                 {60, 5, 128},
                 {100, 157, 512},
                 {4194300, 4, 4194304},
                 {4194300, 5, 8388608},
                 {8388607, 1, 12582912}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w = world_open(32 * MB);
        struct cumulation c = {0};
        struct input first = {.ref = heap_alloc(w.m, cases[i].kept),
                              .len = cases[i].kept};
        struct input in = {.ref = heap_alloc(w.m, cases[i].more),
                           .len = cases[i].more};
        cumulation_take(&c, &first, 0);
        assert_true(cumulation_merge(&c, w.m, &in, false));
        assert_int_equal(in.capacity, cases[i].capacity);
        heap_release(w.m, in.ref);
        world_close(&w);
    }
}

static void without_room_nothing_changes(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct cumulation c = {0};
    struct input first = read_of(&w, "Hos", 3), in = read_of(&w, "t", 1);
    heap_ref ref = first.ref, second = in.ref;
    cumulation_take(&c, &first, 0);
    heap_ref ballast = world_fill(&w, 72); /* 80 are needed */
    assert_false(cumulation_merge(&c, w.m, &in, false));
    assert_int_equal(c.ref, ref);
    assert_int_equal(in.ref, second);
    heap_release(w.m, ballast);
    heap_release(w.m, in.ref);
    cumulation_drop(&c, w.m);
    cumulation_drop(&c, w.m); /* nothing is kept: nothing happens */
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_fits_goes_behind_the_line),
        cmocka_unit_test(a_buffer_of_our_own_grows_by_powers_of_two),
        cmocka_unit_test(a_shared_buffer_gives_the_line_away),
        cmocka_unit_test(capacities_are_nettys),
        cmocka_unit_test(without_room_nothing_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
