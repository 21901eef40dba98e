/* pitwall-load as the executor's child: the whole contract, with the test in
 * the executor's place and a server of its own as target. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/child.h"
#include "common/clock.h"
#include "common/hist.h"
#include "common/record.h"
#include "tests/lib/check.h"
#include "tests/unit/load/server.h"

#define WAIT_MS  20000
#define DATA_MAX (4u << 20)

static const char *program;

/* Delete, fill by bulks of 10, refresh. */
#define PLAN(bulk)                                                             \
    "{\"version\":1,\"track\":\"t\",\"challenge\":\"c\",\"corpora\":[{"        \
    "\"name\":\"g\",\"documents\":[{\"generator\":\"geonames\",\"docs\":1000," \
    "\"index\":\"i\"}]}],\"steps\":[{\"tasks\":[{\"name\":\"drop\","           \
    "\"operation\":\"delete-index\",\"requests\":[{\"method\":\"DELETE\","     \
    "\"path\":\"/i\"}]}]},{\"tasks\":[{\"name\":\"fill\",\"operation\":"       \
    "\"bulk\",\"clients\":5,\"tags\":\"a, b\",\"meta\":\"{}\","                \
    "\"bulk\":{\"docs\":10,\"corpora\":[0]" bulk "}}]},{"                      \
    "\"tasks\":[{\"name\":\"refresh\",\"operation\":\"refresh\",\"requests\":" \
    "[{\"method\":\"POST\",\"path\":\"/_refresh\"}]}]}],\"measured\":1}"

static const char plan[] = PLAN("");
static const char looped[] = PLAN(",\"looped\":true");

struct rig {
    struct server *server;
    pid_t pid;
    int control, data;
    uint8_t *bytes; /* what came on the data pipe */
    size_t len;
    unsigned n_progress;
    struct child_msg last;
};

static void child(const struct rig *r, int control, int data, int fd,
                  const char *option)
{
    char *const argv[] = {(char *)(uintptr_t)program,
                          (char *)(uintptr_t) "--child",
                          (char *)(uintptr_t) "--target",
                          (char *)(uintptr_t)server_url(r->server),
                          (char *)(uintptr_t)option,
                          NULL};
    int high[] = {fcntl(control, F_DUPFD, 20), fcntl(data, F_DUPFD, 20),
                  fcntl(fd, F_DUPFD, 20)};
    for (int i = 0; i < 3; i++)
        if (dup2(high[i], CHILD_FD_CONTROL + i) < 0)
            _exit(99);
    for (int i = CHILD_FD_PLAN + 1; i < 64; i++)
        (void)close(i);
    (void)execv(program, argv);
    _exit(98);
}

static void rig_init(struct rig *r, server_script *script, const char *json,
                     const char *option)
{
    int control[2], data[2], fd = memfd_create("plan", MFD_CLOEXEC);
    memset(r, 0, sizeof *r);
    r->bytes = malloc(DATA_MAX);
    r->server = server_start(script);
    assert_int_equal(write(fd, json, strlen(json)), strlen(json));
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, control), 0);
    assert_int_equal(pipe(data), 0);
    r->pid = fork();
    if (!r->pid)
        child(r, control[1], data[1], fd, option);
    (void)close(control[1]);
    (void)close(data[1]);
    (void)close(fd);
    r->control = control[0];
    r->data = data[0];
}

static int rig_fini(struct rig *r)
{
    int status;
    if (r->control >= 0)
        (void)close(r->control);
    (void)close(r->data);
    assert_int_equal(waitpid(r->pid, &status, 0), r->pid);
    server_stop(r->server);
    free(r->bytes);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Take what the data pipe has; false at its end. */
static bool drain(struct rig *r)
{
    ssize_t n = read(r->data, r->bytes + r->len, DATA_MAX - r->len);
    if (n > 0)
        r->len += (size_t)n;
    return n > 0;
}

/* The next packet of this kind; PROGRESS is counted on the way. */
static void expect(struct rig *r, enum child_kind kind)
{
    struct pollfd fds[] = {{.fd = r->control, .events = POLLIN},
                           {.fd = r->data, .events = POLLIN}};
    struct why why = {0};
    for (;;) {
        assert_true(poll(fds, 2, WAIT_MS) > 0);
        if (fds[1].revents & POLLIN)
            (void)drain(r);
        if (!fds[0].revents)
            continue;
        check_ok(child_receive(r->control, &r->last, &why), why);
        if (r->last.kind == kind)
            return;
        assert_string_equal(r->last.kind == CHILD_FAILED ? r->last.text : "",
                            "");
        assert_int_equal(r->last.kind, CHILD_PROGRESS);
        r->n_progress++;
    }
}

static void say(const struct rig *r, enum child_kind kind, uint64_t t0_ns,
                uint64_t measure_ns)
{
    const struct child_msg msg = {
        .kind = kind, .t_ns = t0_ns, .measure_ns = measure_ns};
    struct why why = {0};
    check_ok(child_send(r->control, &msg, &why), why);
}

/* What the records say. */
struct told {
    unsigned n_facts, n_tasks, n_drivers, n_hists, n_samples;
    struct record_task task;
    struct record_driver driver;
    uint64_t sampled_docs, latencies;
    char facts[1024];
};

static void tell(struct told *t, const struct record *rec)
{
    static struct hist h;
    struct why why = {0};
    size_t at = strlen(t->facts);
    switch (rec->kind) {
    case RECORD_IS_fact:
        t->n_facts++;
        /* What its one thread did differs, as "1.2 %". */
        if (!strcmp(rec->as.fact.name, "driver.threads"))
            (void)snprintf(t->facts + at, sizeof t->facts - at, "threads%s;",
                           strchr(rec->as.fact.value, ' '));
        else
            (void)snprintf(t->facts + at, sizeof t->facts - at, "%s=%.4s;",
                           rec->as.fact.name, rec->as.fact.value);
        break;
    case RECORD_IS_task:
        t->n_tasks++;
        t->task = rec->as.task;
        break;
    case RECORD_IS_driver:
        t->n_drivers++;
        t->driver = rec->as.driver;
        break;
    case RECORD_IS_hist:
        t->n_hists++;
        check_ok(hist_decode(&h, rec->as.hist.blob.data, rec->as.hist.blob.len,
                             &why),
                 why);
        if (rec->as.hist.second == RECORD_WHOLE_WINDOW &&
            !strcmp(rec->as.hist.kind, "latency"))
            t->latencies = h.total;
        break;
    case RECORD_IS_sample_load:
        t->n_samples++;
        t->sampled_docs += rec->as.sample_load.docs;
        break;
    case RECORD_IS_driver_host:
    case RECORD_IS_sample_link:
    case RECORD_IS_sample_tcp:
    case RECORD_IS_sample_cpu:
    case RECORD_IS_sample_disk:
    case RECORD_IS_sample_pressure:
    case RECORD_IS_stack:
    case RECORD_IS_sample_proc:
    case RECORD_IS_sample_target:
    case RECORD_IS_sample_jvm:
    case RECORD_IS_sample_jit:
    case RECORD_IS_jvm:
    case RECORD_KIND_LAST:
    default:
        fail_msg("a record of kind %d", rec->kind);
    }
}

static struct told read_records(struct rig *r)
{
    struct told told = {0};
    struct why why = {0};
    while (drain(r))
        continue;
    for (size_t at = 0; at < r->len;) {
        static struct record rec;
        uint32_t len;
        assert_true(r->len - at >= 4);
        memcpy(&len, r->bytes + at, 4); /* little-endian, as the machine is */
        at += 4;
        assert_true(len <= r->len - at);
        check_ok(record_decode(r->bytes + at, len, &rec, &why), why);
        tell(&told, &rec);
        at += len;
    }
    return told;
}

static struct server_reply good(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 200, "{\"errors\":false}"};
}

static void attempt_goes_from_ready_to_done(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, good, looped, NULL);
    expect(&r, CHILD_READY);
    assert_int_equal(server_requests(r.server), 0);
    say(&r, CHILD_ARM, 0, 0);
    expect(&r, CHILD_ARMED);
    assert_int_equal(server_requests(r.server), 1); /* the index is dropped */
    uint64_t t0_ns = clock_mono_ns() + 50 * NS_PER_MS;
    say(&r, CHILD_START, t0_ns, 1200 * NS_PER_MS);
    expect(&r, CHILD_STARTED);
    assert_true(r.last.t_ns >= t0_ns);
    expect(&r, CHILD_DONE);
    assert_true(r.n_progress >= 1);
    uint64_t docs = r.last.docs;
    struct told told = read_records(&r);
    /* without the delete and the refresh */
    assert_int_equal(docs, 10 * (server_requests(r.server) - 2));
    assert_int_equal(told.driver.docs_acked, docs);
    assert_int_equal(told.driver.docs_unknown, 0);
    assert_int_equal(told.driver.records_blocked, 0);
    assert_string_equal(told.driver.engine, "raw");
    assert_int_equal(told.n_drivers, 1);
    assert_int_equal(told.n_tasks, 1);
    assert_string_equal(told.task.task, "fill");
    assert_string_equal(told.task.unit, "docs");
    assert_int_equal(told.task.clients, 5);
    assert_int_equal(told.task.window_ns, 1200 * NS_PER_MS);
    /* no warm-up; each of five clients has one under way when it ends */
    assert_in_range(told.task.docs, docs - 5 * 10, docs);
    assert_int_equal(told.sampled_docs, docs);
    assert_int_equal(told.latencies, docs / 10);
    assert_true(told.n_samples >= 2);
    assert_string_equal(
        told.facts,
        "task.drop=200 ;task.refresh=200 ;load.provider=file;"
        "corpus.g.sha256=64a0;tags.fill=a, b;meta.fill={};threads %;");
    assert_int_equal(rig_fini(&r), 0);
}

static void attempt_takes_options_of_its_command_line(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, good, plan, "--clients=2");
    expect(&r, CHILD_READY);
    say(&r, CHILD_ARM, 0, 0);
    expect(&r, CHILD_ARMED);
    say(&r, CHILD_START, clock_mono_ns(), 0); /* no length: each body once */
    expect(&r, CHILD_STARTED);
    expect(&r, CHILD_DONE);
    assert_int_equal(r.last.docs, 1000);
    assert_int_equal(server_requests(r.server), 102);
    assert_int_equal(read_records(&r).task.clients, 2);
    assert_int_equal(rig_fini(&r), 0);
}

static void attempt_stop_ends_it_with_its_records(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, good, looped, NULL);
    expect(&r, CHILD_READY);
    say(&r, CHILD_ARM, 0, 0);
    expect(&r, CHILD_ARMED);
    say(&r, CHILD_START, clock_mono_ns(), 3600 * NS_PER_S);
    expect(&r, CHILD_STARTED);
    expect(&r, CHILD_PROGRESS);
    assert_string_equal(r.last.text, "fill");
    say(&r, CHILD_STOP, 0, 0);
    expect(&r, CHILD_DONE);
    uint64_t docs = r.last.docs;
    struct told told = read_records(&r);
    assert_int_equal(told.driver.docs_acked, docs);
    assert_true(told.task.window_ns < 3600 * NS_PER_S);
    /* no refresh */
    assert_string_equal(
        told.facts,
        "task.drop=200 ;load.provider=file;"
        "corpus.g.sha256=64a0;tags.fill=a, b;meta.fill={};threads %;");
    assert_int_equal(docs, 10 * (server_requests(r.server) - 1));
    assert_int_equal(rig_fini(&r), 0);
}

static void attempt_ends_when_the_executor_is_gone(void **state)
{
    (void)state;
    struct rig r;
    for (int armed = 0; armed < 2; armed++) {
        rig_init(&r, good, plan, NULL);
        expect(&r, CHILD_READY);
        if (armed) {
            say(&r, CHILD_ARM, 0, 0);
            expect(&r, CHILD_ARMED);
        }
        (void)close(r.control);
        r.control = -1;
        assert_int_equal(rig_fini(&r), 0);
    }
}

static struct server_reply stalls(unsigned n)
{
    (void)n;
    return (struct server_reply){.act = SERVER_STALL};
}

static void attempt_stop_interrupts_a_leading_task(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, stalls, plan, NULL);
    expect(&r, CHILD_READY);
    say(&r, CHILD_ARM, 0, 0);
    while (!server_requests(r.server))
        (void)usleep(1000);
    say(&r, CHILD_STOP, 0, 0);
    expect(&r, CHILD_DONE);
    assert_int_equal(r.last.docs, 0);
    assert_int_equal(rig_fini(&r), 0);
}

static struct server_reply refuses_refresh(unsigned n)
{
    /* delete, 100 bulks, refresh */
    return (struct server_reply){SERVER_ANSWER, n == 101 ? 500 : 200, "{}"};
}

static void
attempt_reports_what_it_measured_though_a_later_task_fails(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, refuses_refresh, plan, NULL);
    expect(&r, CHILD_READY);
    say(&r, CHILD_ARM, 0, 0);
    expect(&r, CHILD_ARMED);
    say(&r, CHILD_START, clock_mono_ns(), 0);
    expect(&r, CHILD_STARTED);
    expect(&r, CHILD_FAILED);
    check_says(r.last, "refresh: POST /_refresh: answered 500: {}");
    assert_int_equal(r.last.err, ERR_CHILD);
    assert_int_equal(read_records(&r).driver.docs_acked, 1000);
    assert_int_equal(rig_fini(&r), 1);
}

static void attempt_says_why_it_cannot_begin(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, good, "{\"version\":2}", NULL);
    expect(&r, CHILD_FAILED);
    check_says(r.last, "plan:1: version: must be a whole number");
    assert_int_equal(rig_fini(&r), 2);
}

static void attempt_refuses_a_start_that_is_long_past(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, good, plan, NULL);
    expect(&r, CHILD_READY);
    say(&r, CHILD_ARM, 0, 0);
    expect(&r, CHILD_ARMED);
    say(&r, CHILD_START, clock_mono_ns() - 5 * NS_PER_S, NS_PER_S);
    expect(&r, CHILD_FAILED);
    assert_int_equal(r.last.err, ERR_LATE);
    assert_int_equal(rig_fini(&r), 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempt_goes_from_ready_to_done),
        cmocka_unit_test(attempt_takes_options_of_its_command_line),
        cmocka_unit_test(attempt_stop_ends_it_with_its_records),
        cmocka_unit_test(attempt_ends_when_the_executor_is_gone),
        cmocka_unit_test(attempt_stop_interrupts_a_leading_task),
        cmocka_unit_test(
            attempt_reports_what_it_measured_though_a_later_task_fails),
        cmocka_unit_test(attempt_says_why_it_cannot_begin),
        cmocka_unit_test(attempt_refuses_a_start_that_is_long_past)};
    if (argc != 2)
        return 2;
    program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
