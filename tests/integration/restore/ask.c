#include "tests/integration/restore/ask.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/crc.h"
#include "common/spool.h"
#include "tests/lib/check.h"

enum err ask_call(struct bench *b, struct port_request *q, int plan)
{
    struct why why = {0};
    int fd = -1;
    q->token = q->token ? q->token : b->token;
    check_ok(port_send(b->port, q, sizeof *q, plan, &why), why);
    struct pollfd p = {.fd = b->port, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 5000), 1);
    check_ok(port_receive(b->port, &b->reply, sizeof b->reply, &fd, &why), why);
    if (fd >= 0)
        (void)close(fd);
    return (enum err)b->reply.err;
}

enum err ask_op(struct bench *b, enum msg_op op, uint32_t tid)
{
    struct port_request q = {.op = op, .eid = ASK_EID, .tid = tid, .att = 1};
    return ask_call(b, &q, -1);
}

enum err ask_acquire(struct bench *b, const char *owner, uint64_t ttl_ns)
{
    struct port_request q = {.op = MSG_ACQUIRE};
    (void)snprintf(q.as.acquire.owner, sizeof q.as.acquire.owner, "%s", owner);
    q.as.acquire.ttl_ns = ttl_ns;
    enum err e = ask_call(b, &q, -1);
    if (!e)
        b->token = b->reply.as.lease.token;
    return e;
}

enum err ask_prepare(struct bench *b, uint32_t tid,
                     const struct trial_spec *spec)
{
    struct port_request q = {.op = MSG_PREPARE,
                             .eid = ASK_EID,
                             .tid = tid,
                             .att = 1,
                             .as.spec = *spec};
    int plan = memfd_create("plan", MFD_CLOEXEC);
    assert_int_equal(write(plan, "{}", 2), 2);
    enum err e = ask_call(b, &q, plan);
    (void)close(plan);
    return e;
}

enum err ask_start_at(struct bench *b, uint32_t tid, uint64_t measure_ns)
{
    struct port_request q = {
        .op = MSG_START_AT,
        .eid = ASK_EID,
        .tid = tid,
        .att = 1,
        .as.start_at = {.t0_ns = clock_mono_ns() + 50 * NS_PER_MS,
                        .warmup_ns = 50 * NS_PER_MS,
                        .measure_ns = measure_ns}};
    return ask_call(b, &q, -1);
}

struct trial_spec ask_spec(const char *target_as, const char *load_as)
{
    struct trial_spec s = {.cell = "heap=1g",
                           .role = "both",
                           .link_kind = "loopback",
                           .target = "pitwall",
                           .heap_bytes = 1u << 30,
                           .predictor = "fixed:64k",
                           .ready_ns = 5 * NS_PER_S,
                           .drain_ns = NS_PER_S};
    if (target_as[0])
        (void)snprintf(s.target_params, sizeof s.target_params, "as=%s",
                       target_as);
    if (load_as[0])
        (void)snprintf(s.load_params, sizeof s.load_params, "as=%s", load_as);
    return s;
}

void ask_until(struct bench *b, uint32_t tid, const char *state)
{
    uint64_t due_ns = clock_mono_ns() + 10 * NS_PER_S;
    for (;;) {
        enum err e = ask_op(b, MSG_STATUS, tid);
        if (e)
            fail_msg("status: %s", b->reply.text);
        if (!strcmp(b->reply.as.status.state, state))
            return;
        if (clock_mono_ns() > due_ns)
            fail_msg("state is %s, not %s: %s", b->reply.as.status.state, state,
                     b->reply.as.status.text);
        clock_sleep_until(clock_mono_ns() + 5 * NS_PER_MS);
    }
}

/* The spool of trial tid, whole. */
static uint8_t *fetch(struct bench *b, uint32_t tid, size_t *len)
{
    struct port_request q = {.op = MSG_COLLECT,
                             .eid = ASK_EID,
                             .tid = tid,
                             .att = 1,
                             .token = b->token};
    struct why why = {0};
    struct stat st;
    int fd = -1;
    check_ok(port_send(b->port, &q, sizeof q, -1, &why), why);
    check_ok(port_receive(b->port, &b->reply, sizeof b->reply, &fd, &why), why);
    if (b->reply.err)
        fail_msg("collect: %s", b->reply.text);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    assert_int_equal(fstat(fd, &st), 0);
    *len = (size_t)st.st_size;
    uint8_t *data = malloc(*len + 1);
    assert_non_null(data);
    assert_int_equal(pread(fd, data, *len, 0), (ssize_t)*len);
    (void)close(fd);
    return data;
}

char *ask_stream(struct bench *b, uint32_t tid, int stream)
{
    size_t len = 0, used = 0;
    uint64_t seq = 0;
    struct why why = {0};
    uint8_t *data = fetch(b, tid, &len);
    char *out = malloc(len + 1);
    assert_non_null(out);
    for (size_t at = 0; at < len; seq++) {
        struct spool_header h;
        const uint8_t *payload;
        check_ok(
            spool_record_read(data + at, len - at, seq, &h, &payload, &why),
            why);
        if (h.stream == stream) {
            memcpy(out + used, payload, h.len);
            used += h.len;
        }
        at += SPOOL_HEADER_BYTES + h.len;
    }
    out[used] = '\0';
    assert_int_equal(ask_op(b, MSG_STATUS, tid), ERR_OK);
    assert_int_equal(b->reply.as.status.spool_bytes, len);
    assert_int_equal(b->reply.as.status.spool_records, seq);
    assert_int_equal(b->reply.as.status.spool_crc, crc32c(0, data, len));
    free(data);
    return out;
}

void ask_running(struct bench *b, uint32_t tid, const struct trial_spec *spec,
                 uint64_t measure_ns)
{
    if (ask_prepare(b, tid, spec))
        fail_msg("prepare: %s", b->reply.text);
    ask_until(b, tid, "prepared");
    assert_int_equal(ask_op(b, MSG_ARM, tid), ERR_OK);
    ask_until(b, tid, "armed");
    assert_int_equal(ask_start_at(b, tid, measure_ns), ERR_OK);
    assert_string_equal(b->reply.as.status.state, "running");
}

void ask_sealed(struct bench *b, uint32_t tid, const char *outcome,
                const char *part)
{
    ask_until(b, tid, "sealed");
    if (strcmp(b->reply.as.status.outcome, outcome) != 0 ||
        !strstr(b->reply.as.status.text, part))
        fail_msg("sealed as %s \"%s\", not %s \"%s\"",
                 b->reply.as.status.outcome, b->reply.as.status.text, outcome,
                 part);
}

void ask_contains(struct bench *b, uint32_t tid, int stream, const char *part)
{
    char *text = ask_stream(b, tid, stream);
    if (!strstr(text, part))
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
    free(text);
}
