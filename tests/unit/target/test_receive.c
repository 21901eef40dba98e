#include <sys/socket.h>
#include <unistd.h>

#include "target/receive.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

struct ends {
    int ours, theirs;
};

static struct ends open_pair(void)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    return (struct ends){fds[0], fds[1]};
}

static void send_bytes(struct ends e, size_t n)
{
    static char bytes[70000];
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(write(e.theirs, bytes, n), n);
}

static struct predictor_spec spec_of(const char *text)
{
    struct predictor_spec s = {.rules = PREDICTOR_4_1_48,
                               .reads_per_wakeup = 1};
    struct why why = {0};
    check_ok(predictor_parse(text, &s, &why), why);
    return s;
}

/* A read of 100 bytes takes a buffer of the whole predicted size, zero behind
 * what was read: al(16 + 65536) = 65552, and 88 bytes of garbage before and
 * after it. */
static void receive_read_takes_a_whole_zeroed_buffer(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct ends e = open_pair();
    struct predictor_spec s = spec_of("fixed:64k");
    struct predictor p;
    struct input in;
    struct heap_stats stats;
    predictor_init(&p, &s);
    send_bytes(e, 100);
    assert_int_equal(receive_read(e.ours, &p, w.m, &in), RECEIVE_BYTES);
    assert_int_equal(in.len, 100);
    assert_int_equal(in.pos, 0);
    const char *bytes = heap_ptr(w.m, in.ref);
    assert_int_equal(bytes[99], 'x');
    assert_int_equal(bytes[100], 0);
    assert_int_equal(bytes[65535], 0);
    heap_stats(w.heap, NULL, &stats);
    assert_int_equal(stats.alloc_bytes, 65552 + 2 * 88);
    assert_int_equal(stats.used_bytes, 65552);
    heap_release(w.m, in.ref);
    (void)close(e.ours);
    (void)close(e.theirs);
    world_close(&w);
}

/* 1 KiB is filled, then 16 KiB, then the rest of 40,000 bytes - 17,408. */
static void receive_read_follows_the_predictor(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct ends e = open_pair();
    struct predictor_spec s = spec_of("adaptive:1k-512k");
    struct predictor p;
    static const uint32_t want[] = {1024, 16384, 22592};
    predictor_init(&p, &s);
    send_bytes(e, 40000);
    for (size_t i = 0; i < 3; i++) {
        struct input in;
        predictor_begin(&p);
        assert_int_equal(receive_read(e.ours, &p, w.m, &in), RECEIVE_BYTES);
        predictor_end(&p);
        assert_int_equal(in.len, want[i]);
        heap_release(w.m, in.ref);
    }
    (void)close(e.ours);
    (void)close(e.theirs);
    world_close(&w);
}

static void receive_read_gives_the_buffer_back_when_nothing_came(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct ends e = open_pair();
    struct predictor_spec s = spec_of("fixed:4k");
    struct predictor p;
    struct input in;
    struct heap_stats stats;
    predictor_init(&p, &s);
    assert_int_equal(receive_read(e.ours, &p, w.m, &in), RECEIVE_NONE);
    assert_int_equal(in.ref, 0);
    assert_int_equal(in.len, 0);
    (void)close(e.theirs);
    assert_int_equal(receive_read(e.ours, &p, w.m, &in), RECEIVE_END);
    assert_int_equal(in.ref, 0);
    /* Each of the two took a buffer all the same: al(16 + 4096) = 4112, and the
     * garbage before it. */
    heap_stats(w.heap, NULL, &stats);
    assert_int_equal(stats.alloc_bytes, 2 * (88 + 4112));
    (void)close(e.ours);
    world_close(&w);
}

static void receive_read_unwinds_when_the_heap_is_full(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct ends e = open_pair();
    struct predictor_spec s = spec_of("fixed:4k");
    struct predictor p;
    struct input in;
    predictor_init(&p, &s);
    send_bytes(e, 10);
    heap_ref ballast = world_fill(&w, 4104);
    assert_int_equal(receive_read(e.ours, &p, w.m, &in), RECEIVE_OOM);
    heap_release(w.m, ballast);
    /* The buffer fits, the garbage of 88 bytes after it does not. */
    ballast = world_fill(&w, 4112 + 80);
    assert_int_equal(receive_read(e.ours, &p, w.m, &in), RECEIVE_OOM);
    assert_int_equal(in.ref, 0);
    heap_release(w.m, ballast);
    (void)close(e.ours);
    (void)close(e.theirs);
    world_close(&w);
}

static void receive_takes_bytes_that_come_from_elsewhere(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct predictor_spec s = spec_of("adaptive:1k-512k");
    struct predictor p;
    struct input in;
    predictor_init(&p, &s);
    predictor_begin(&p);
    assert_true(receive_buffer(&p, w.m, &in));
    memset(heap_ptr(w.m, in.ref), 'x', 1024);
    assert_int_equal(receive_filled(&p, w.m, &in, 1024), RECEIVE_BYTES);
    assert_int_equal(in.len, 1024);
    assert_int_equal(((const char *)heap_ptr(w.m, in.ref))[1023], 'x');
    predictor_end(&p);
    assert_int_equal(predictor_guess(&p), 16384); /* it was filled */
    heap_release(w.m, in.ref);
    assert_true(receive_buffer(&p, w.m, &in));
    assert_int_equal(receive_filled(&p, w.m, &in, 0), RECEIVE_NONE);
    assert_int_equal(in.ref, 0);
    assert_int_equal(world_used(&w), 0);
    world_close(&w);
}

static void receive_native_reuses_its_buffer(void **state)
{
    (void)state;
    struct ends e = open_pair();
    char buf[64];
    struct input in;
    send_bytes(e, 70);
    assert_int_equal(receive_native(e.ours, buf, sizeof buf, &in),
                     RECEIVE_BYTES);
    assert_int_equal(in.len, 64);
    assert_ptr_equal(in.native, buf);
    assert_int_equal(in.ref, 0);
    assert_int_equal(receive_native(e.ours, buf, sizeof buf, &in),
                     RECEIVE_BYTES);
    assert_int_equal(in.len, 6);
    assert_int_equal(receive_native(e.ours, buf, sizeof buf, &in),
                     RECEIVE_NONE);
    (void)close(e.theirs);
    assert_int_equal(receive_native(e.ours, buf, sizeof buf, &in), RECEIVE_END);
    (void)close(e.ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_read_takes_a_whole_zeroed_buffer),
        cmocka_unit_test(receive_read_follows_the_predictor),
        cmocka_unit_test(receive_read_gives_the_buffer_back_when_nothing_came),
        cmocka_unit_test(receive_read_unwinds_when_the_heap_is_full),
        cmocka_unit_test(receive_takes_bytes_that_come_from_elsewhere),
        cmocka_unit_test(receive_native_reuses_its_buffer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
