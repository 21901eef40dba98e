#include "target/parse.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

struct garbage {
    uint64_t count, bytes;
};

static struct garbage garbage_of(size_t bytes, uint32_t work)
{
    struct world w = world_open(2 * MB);
    struct heap_stats s;
    assert_true(parse_garbage(w.m, bytes, work));
    heap_stats(w.heap, NULL, &s);
    world_close(&w);
    return (struct garbage){s.alloc_count, s.alloc_bytes};
}

static void expect(size_t bytes, uint32_t work, uint64_t count, uint64_t size)
{
    struct garbage g = garbage_of(bytes, work);
    assert_int_equal(g.count, count);
    assert_int_equal(g.bytes, size);
}

/* A list of 24. A string is 24 + 32 and its place in the list's array, which
 * begins with ten references of four bytes, 16 + 40. */
static void a_string_is_made_of_every_64_bytes(void **state)
{
    (void)state;
    expect(0, 1, 1, 24);
    expect(15, 1, 1, 24); /* too short for its 16 characters */
    expect(16, 1, 1 + 1 + 2, 24 + 56 + 56);
    expect(79, 1, 1 + 1 + 2, 24 + 56 + 56);
    expect(80, 1, 1 + 1 + 4, 24 + 56 + 2 * 56);
    /* Ten at 0, 64, ..., 576; the eleventh, at 640, needs an array of 15:
     * 16 + 60 = 76, rounded to 80. */
    expect(655, 1, 1 + 1 + 20, 24 + 56 + 10 * 56);
    expect(656, 1, 1 + 2 + 22, 24 + 56 + 80 + 11 * 56);
}

/* 1,000 bytes: at 0, 64, ..., 960 sixteen strings; 15 -> 22 references, 16
 * + 88. By 128: 0 to 896, eight; by 512: two. */
static void more_work_makes_fewer_strings(void **state)
{
    (void)state;
    expect(1000, 1, 1 + 3 + 32, 24 + 56 + 80 + 104 + 16 * 56);
    expect(1000, 2, 1 + 1 + 16, 24 + 56 + 8 * 56);
    expect(1000, 8, 1 + 1 + 4, 24 + 56 + 2 * 56);
}

/* Room for the list, not for the array; for both, not for the string. */
static void it_stops_where_the_heap_is_full(void **state)
{
    (void)state;
    for (uint64_t left = 0; left <= 56; left += 8) {
        struct world w = world_open(2 * MB);
        heap_ref ballast = world_fill(&w, left);
        assert_int_equal(parse_garbage(w.m, 100, 1), left >= 56);
        heap_release(w.m, ballast);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_is_made_of_every_64_bytes),
        cmocka_unit_test(more_work_makes_fewer_strings),
        cmocka_unit_test(it_stops_where_the_heap_is_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
