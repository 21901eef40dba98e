#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/child.h"
#include "common/clock.h"
#include "common/rand.h"
#include "tests/lib/check.h"

struct pair {
    int a, b;
};

static struct pair control(void)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds),
                     0);
    return (struct pair){fds[0], fds[1]};
}

static void shut(struct pair p)
{
    if (p.a >= 0)
        (void)close(p.a);
    if (p.b >= 0)
        (void)close(p.b);
}

static void child_receive_gives_back_what_was_sent(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg in = {.kind = CHILD_PROGRESS,
                           .t_ns = 1,
                           .warmup_ns = 2,
                           .measure_ns = 3,
                           .docs = 4,
                           .bytes = 5,
                           .errors = 6,
                           .docs_s = 7.5,
                           .text = "index"};
    struct child_msg out;
    struct why why = {0};
    check_ok(child_send(p.a, &in, &why), why);
    check_ok(child_receive(p.b, &out, &why), why);
    assert_memory_equal(&in, &out, sizeof in);
    check_err(child_receive(p.b, &out, &why), ERR_AGAIN);
    assert_string_equal(why.text, ""); /* nothing for a later err_wrap */
    shut(p);
}

static void child_receive_tells_the_end_of_file(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg out;
    struct why why = {0};
    child_report(p.a, CHILD_DONE, NULL);
    (void)close(p.a);
    p.a = -1;
    check_ok(child_receive(p.b, &out, &why), why); /* what was sent comes */
    assert_int_equal(out.kind, CHILD_DONE);
    check_err(child_receive(p.b, &out, &why), ERR_GONE);
    check_says(why, "closed");
    shut(p);
}

static void child_receive_refuses_what_is_no_packet_of_ours(void **state)
{
    (void)state;
    struct pair p = control();
    static const char big[sizeof(struct child_msg) + 1];
    struct child_msg out, in = {.kind = CHILD_READY};
    struct why why = {0};
    assert_int_equal(send(p.a, big, 511, 0), 511);
    check_err(child_receive(p.b, &out, &why), ERR_PROTOCOL);
    check_says(why, "511 bytes");
    assert_int_equal(send(p.a, big, 513, 0), 513);
    check_err(child_receive(p.b, &out, &why), ERR_PROTOCOL);
    check_says(why, "513 bytes");
    static const uint32_t kinds[] = {0, 8, 63, 68, UINT32_MAX};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        in.kind = kinds[i];
        assert_int_equal(send(p.a, &in, sizeof in, 0), sizeof in);
        check_err(child_receive(p.b, &out, &why), ERR_PROTOCOL);
        check_says(why, "kind");
    }
    in.kind = CHILD_FAILED; /* without an error */
    assert_int_equal(send(p.a, &in, sizeof in, 0), sizeof in);
    check_err(child_receive(p.b, &out, &why), ERR_PROTOCOL);
    in.err = ERR_LAST;
    assert_int_equal(send(p.a, &in, sizeof in, 0), sizeof in);
    check_err(child_receive(p.b, &out, &why), ERR_PROTOCOL);
    shut(p);
}

static void child_receive_ends_every_text(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg out, in = {.kind = CHILD_READY};
    struct why why = {0};
    memset(in.text, 'x', sizeof in.text);
    assert_int_equal(send(p.a, &in, sizeof in, 0), sizeof in);
    check_ok(child_receive(p.b, &out, &why), why);
    assert_int_equal(strlen(out.text), sizeof out.text - 1);
    shut(p);
}

static void child_fail_carries_code_and_text(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg out;
    struct why why = {"bind 127.0.0.1:9200: in use"}, none = {0};
    child_fail(p.a, ERR_BUSY, &why);
    check_ok(child_receive(p.b, &out, &none), none);
    assert_int_equal(out.kind, CHILD_FAILED);
    assert_int_equal(out.err, ERR_BUSY);
    assert_string_equal(out.text, why.text);
    child_fail(p.a, ERR_OOM, NULL);
    check_ok(child_receive(p.b, &out, &none), none);
    assert_string_equal(out.text, "the target ran out of its heap");
    child_report(p.a, CHILD_READY, "http://127.0.0.1:9200");
    check_ok(child_receive(p.b, &out, &none), none);
    assert_int_equal(out.kind, CHILD_READY);
    assert_true(out.t_ns > 0 && out.t_ns <= clock_mono_ns());
    assert_string_equal(out.text, "http://127.0.0.1:9200");
    shut(p);
}

/* How many packets the socket takes before it is full. */
static size_t fill(int fd)
{
    struct child_msg msg = {.kind = CHILD_PROGRESS};
    size_t n = 0;
    while (send(fd, &msg, sizeof msg, MSG_DONTWAIT) > 0)
        n++;
    assert_int_equal(errno, EAGAIN);
    return n;
}

static void child_send_drops_progress_on_a_full_socket(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg msg = {.kind = CHILD_PROGRESS}, out;
    struct why why = {0};
    size_t n = fill(p.a);
    check_ok(child_send(p.a, &msg, &why), why);
    for (size_t i = 0; i < n; i++)
        check_ok(child_receive(p.b, &out, &why), why);
    check_err(child_receive(p.b, &out, &why), ERR_AGAIN);
    shut(p);
}

static void child_send_gives_up_when_nobody_reads(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg msg = {.kind = CHILD_DONE};
    struct why why = {0};
    (void)fill(p.a);
    check_err(child_send(p.a, &msg, &why), ERR_TIMEOUT);
    check_says(why, "nobody reads");
    shut(p);
}

/* Reads one packet a little later. */
static void *read_one(void *arg)
{
    const int *fd = arg;
    struct child_msg out;
    clock_sleep_until(clock_mono_ns() + 20 * NS_PER_MS);
    return recv(*fd, &out, sizeof out, 0) > 0 ? arg : NULL;
}

static void child_send_waits_for_room(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg msg = {.kind = CHILD_DONE};
    struct why why = {0};
    pthread_t thread;
    (void)fill(p.a);
    assert_int_equal(pthread_create(&thread, NULL, read_one, &p.b), 0);
    check_ok(child_send(p.a, &msg, &why), why);
    void *read = NULL;
    assert_int_equal(pthread_join(thread, &read), 0);
    assert_non_null(read);
    shut(p);
}

/* SIGPIPE has its default here: MSG_NOSIGNAL must hold it back. */
static void child_send_survives_a_lost_reader(void **state)
{
    (void)state;
    struct pair p = control();
    struct child_msg msg = {.kind = CHILD_DONE};
    struct why why = {0};
    (void)signal(SIGPIPE, SIG_DFL);
    (void)close(p.b);
    p.b = -1;
    check_err(child_send(p.a, &msg, &why), ERR_GONE);
    child_report(p.a, CHILD_DONE, NULL);
    shut(p);
}

#define PIPE_BYTES 4096

/* A data pipe of one page, the reader not blocking. */
static struct pair data(void)
{
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES), PIPE_BYTES);
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    return (struct pair){fds[1], fds[0]};
}

static void child_pipe_frames_each_record(void **state)
{
    (void)state;
    struct pair p = data();
    struct child_pipe pipe;
    uint8_t ring[64], got[64];
    struct why why = {0};
    child_pipe_init(&pipe, p.a, ring, sizeof ring);
    assert_true(fcntl(p.a, F_GETFL) & O_NONBLOCK);
    assert_true(child_pipe_put(&pipe, "hello", 5));
    assert_true(child_pipe_put(&pipe, "", 0));
    check_ok(child_pipe_flush(&pipe, 0, &why), why);
    assert_int_equal(pipe.records, 2);
    assert_int_equal(pipe.blocked, 0);
    assert_int_equal(read(p.b, got, sizeof got), 13);
    assert_memory_equal(got, "\x05\0\0\0hello\0\0\0\0", 13);
    shut(p);
}

/* What child_pipe_put took must come out whole and in order, whatever was
 * dropped in between: records of every length, a reader that takes odd
 * pieces, rings that wrap at every offset. */
struct reader {
    uint8_t bytes[1 << 16];
    size_t len, records;
    uint8_t next; /* the first byte that the next record may have */
};

static void take(struct reader *r, int fd, size_t most)
{
    ssize_t n = read(fd, r->bytes + r->len, most);
    if (n > 0)
        r->len += (size_t)n;
    size_t at = 0, len;
    while (r->len - at >= 4 && r->len - at - 4 >= (len = r->bytes[at])) {
        assert_memory_equal(r->bytes + at + 1, "\0\0\0", 3);
        for (size_t i = 0; i < len; i++)
            assert_int_equal(r->bytes[at + 4 + i], len);
        at += 4 + len;
        r->records++;
    }
    memmove(r->bytes, r->bytes + at, r->len - at);
    r->len -= at;
}

static void child_pipe_keeps_records_whole_under_pressure(void **state)
{
    (void)state;
    static struct reader reader;
    struct pair p = data();
    struct child_pipe pipe;
    uint8_t ring[521], record[256];
    struct rand r = {11};
    struct why why = {0};
    size_t taken = 0, dropped = 0;
    memset(&reader, 0, sizeof reader);
    child_pipe_init(&pipe, p.a, ring, sizeof ring);
    for (int i = 0; i < 20000; i++) {
        size_t len = (size_t)rand_bounded(&r, 256);
        memset(record, (int)len, len);
        if (child_pipe_put(&pipe, record, len))
            taken++;
        else
            dropped++;
        if (rand_bounded(&r, 4) == 0)
            take(&reader, p.b, 1 + (size_t)rand_bounded(&r, 700));
    }
    assert_true(taken > 1000);
    assert_true(dropped > 1000);
    assert_int_equal(pipe.records, taken);
    assert_int_equal(pipe.blocked, dropped);
    while (child_pipe_flush(&pipe, 0, &why) == ERR_TIMEOUT)
        take(&reader, p.b, 4096);
    for (int i = 0; i < 8; i++)
        take(&reader, p.b, 4096);
    assert_int_equal(reader.len, 0);
    assert_int_equal(reader.records, taken);
    shut(p);
}

static void child_pipe_drops_what_is_longer_than_its_buffer(void **state)
{
    (void)state;
    struct pair p = data();
    struct child_pipe pipe;
    uint8_t ring[16], record[16] = {0};
    child_pipe_init(&pipe, p.a, ring, sizeof ring);
    assert_true(child_pipe_put(&pipe, record, 12)); /* 4 + 12: just fits */
    assert_false(child_pipe_put(&pipe, record, 13));
    assert_false(child_pipe_put(&pipe, record, SIZE_MAX));
    assert_int_equal(pipe.blocked, 2);
    shut(p);
}

static void child_pipe_flush_names_a_reader_that_does_not_read(void **state)
{
    (void)state;
    struct pair p = data();
    struct child_pipe pipe;
    static uint8_t ring[2 * PIPE_BYTES], record[PIPE_BYTES];
    struct why why = {0};
    child_pipe_init(&pipe, p.a, ring, sizeof ring);
    assert_true(child_pipe_put(&pipe, record, sizeof record));
    uint64_t due_ns = clock_mono_ns() + 10 * NS_PER_MS;
    check_err(child_pipe_flush(&pipe, due_ns, &why), ERR_TIMEOUT);
    assert_true(clock_mono_ns() >= due_ns);
    check_says(why, "4 bytes for the data pipe: nobody reads");
    shut(p);
}

static void child_pipe_flush_tells_a_lost_reader(void **state)
{
    (void)state;
    struct pair p = data();
    struct child_pipe pipe;
    uint8_t ring[64];
    struct why why = {0};
    (void)signal(SIGPIPE, SIG_IGN); /* as every program with a data pipe */
    child_pipe_init(&pipe, p.a, ring, sizeof ring);
    (void)close(p.b);
    p.b = -1;
    assert_true(child_pipe_put(&pipe, "hello", 5)); /* waits in the ring */
    check_err(child_pipe_flush(&pipe, clock_mono_ns() + NS_PER_S, &why),
              ERR_GONE);
    (void)signal(SIGPIPE, SIG_DFL);
    shut(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(child_receive_gives_back_what_was_sent),
        cmocka_unit_test(child_receive_tells_the_end_of_file),
        cmocka_unit_test(child_receive_refuses_what_is_no_packet_of_ours),
        cmocka_unit_test(child_receive_ends_every_text),
        cmocka_unit_test(child_fail_carries_code_and_text),
        cmocka_unit_test(child_send_drops_progress_on_a_full_socket),
        cmocka_unit_test(child_send_gives_up_when_nobody_reads),
        cmocka_unit_test(child_send_waits_for_room),
        cmocka_unit_test(child_send_survives_a_lost_reader),
        cmocka_unit_test(child_pipe_frames_each_record),
        cmocka_unit_test(child_pipe_keeps_records_whole_under_pressure),
        cmocka_unit_test(child_pipe_drops_what_is_longer_than_its_buffer),
        cmocka_unit_test(child_pipe_flush_names_a_reader_that_does_not_read),
        cmocka_unit_test(child_pipe_flush_tells_a_lost_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
