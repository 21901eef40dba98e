/* A scripted target, load or watch of the child contract. What it is comes from
 * its name, how it behaves from the options that the executor passes on:
 *
 *   --as=WORD          ok | oom | crash | deaf | unready | refuse | badexit |
 *                      spam | starve (takes memory) | stray (leaves a process
 *                      behind, in a session of its own) | bomb (forks)
 *   --telemetry WORD   the same for a watch, on the side that --side names, as
 *                      "target:WORD" or "load:WORD"
 *   --docs=N           documents that load claims
 *
 * The target's final JSON tells what it found around itself, as proof of the
 * cage: its tcp_rmem, its pid, the processors it may use. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/child.h"
#include "common/clock.h"

struct fake {
    const char *as;
    uint64_t docs;
    bool target, load;
    uint64_t t0_ns, end_ns; /* load, once started */
};

static void write_data(const char *text)
{
    size_t len = strlen(text);
    while (len) {
        ssize_t n = write(CHILD_FD_DATA, text, len);
        if (n <= 0)
            return;
        text += n;
        len -= (size_t)n;
    }
}

static void read_line(const char *path, char *buf, size_t size)
{
    FILE *f = fopen(path, "r");
    buf[0] = '\0';
    if (f && !fgets(buf, (int)size, f))
        buf[0] = '\0';
    if (f)
        (void)fclose(f);
    buf[strcspn(buf, "\n")] = '\0';
}

static void final_json(const struct fake *f, const char *outcome)
{
    char rmem[100], dev[4096] = "", text[8192];
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    (void)sched_getaffinity(0, sizeof cpus, &cpus);
    read_line("/proc/sys/net/ipv4/tcp_rmem", rmem, sizeof rmem);
    FILE *links = fopen("/proc/net/dev", "r");
    size_t n = links ? fread(dev, 1, sizeof dev - 1, links) : 0;
    dev[n] = '\0';
    if (links)
        (void)fclose(links);
    for (char *c = rmem; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    (void)snprintf(text, sizeof text,
                   "{\"outcome\":\"%s\",\"pid\":%d,\"cpus\":%d,\"rmem\":\"%s\","
                   "\"veth0\":%d,\"docs\":%llu}",
                   outcome, (int)getpid(), CPU_COUNT(&cpus), rmem,
                   strstr(dev, "veth0:") != NULL, (unsigned long long)f->docs);
    write_data(text);
}

static _Noreturn void stop(const struct fake *f)
{
    if (!strcmp(f->as, "deaf"))
        for (;;)
            (void)pause();
    if (f->target)
        final_json(f, "ok");
    else if (!f->load)
        write_data("last samples");
    child_report(CHILD_FD_CONTROL, CHILD_DONE, NULL);
    exit(!strcmp(f->as, "badexit") ? 3 : 0);
}

static _Noreturn void finish_load(const struct fake *f)
{
    struct child_msg done = {.kind = CHILD_DONE, .docs = f->docs, .bytes = 7};
    struct why why;
    write_data("load records");
    (void)!child_send(CHILD_FD_CONTROL, &done, &why);
    exit(0);
}

/* Behaviour that shows before READY. */
static void begin(const struct fake *f)
{
    if (!strcmp(f->as, "refuse")) {
        (void)fprintf(stderr, "%s: listen 10.77.0.1:9200: address in use\n",
                      program_invocation_short_name);
        exit(1);
    }
    if (!strcmp(f->as, "spam"))
        for (int i = 0; i < 200000; i++)
            (void)fprintf(stderr, "line %d of far too many\n", i);
    if (!strcmp(f->as, "stray") && fork() == 0) {
        (void)setsid();
        if (fork() == 0)
            (void)sleep(60);
        _exit(0);
    }
    if (strcmp(f->as, "unready") != 0)
        child_report(CHILD_FD_CONTROL, CHILD_READY,
                     f->target ? "http://here:9200" : NULL);
}

static void started(struct fake *f, const struct child_msg *msg)
{
    f->t0_ns = msg->t_ns;
    f->end_ns = msg->t_ns + msg->warmup_ns + msg->measure_ns;
    child_report(CHILD_FD_CONTROL, CHILD_STARTED, NULL);
}

/* Behaviour in the run: the target's mishaps come on a clock of their own. */
static void running(const struct fake *f, uint64_t begun_ns)
{
    bool ripe = clock_mono_ns() > begun_ns + 300 * NS_PER_MS;
    if (ripe && !strcmp(f->as, "oom")) {
        final_json(f, "oom");
        exit(CHILD_EXIT_OOM);
    }
    if (ripe && !strcmp(f->as, "crash"))
        abort();
    for (size_t i = 0; ripe && !strcmp(f->as, "starve") && i < 1024; i++) {
        char *p = malloc(1u << 20);
        if (p)
            memset(p, 1, 1u << 20);
    }
    for (int i = 0; ripe && !strcmp(f->as, "bomb") && i < 200; i++)
        if (fork() == 0)
            (void)sleep(60);
}

static void heard(struct fake *f, const struct child_msg *msg)
{
    switch (msg->kind) {
    case CHILD_ARM:
        child_report(CHILD_FD_CONTROL, CHILD_ARMED, NULL);
        break;
    case CHILD_START:
        if (f->load)
            started(f, msg);
        break;
    case CHILD_STOP:
        stop(f);
    default:
        break;
    }
}

static void parse(struct fake *f, int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/');
    name = name ? name + 1 : argv[0];
    f->target = !strcmp(name, "pitwall-target");
    f->load = !strcmp(name, "pitwall-load");
    const char *side = "";
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--as=", 5))
            f->as = argv[i] + 5;
        if (!strncmp(argv[i], "--docs=", 7))
            f->docs = strtoull(argv[i] + 7, NULL, 10);
        if (!strcmp(argv[i], "--side"))
            side = argv[i + 1];
        if (!strcmp(argv[i], "--telemetry") &&
            !strncmp(argv[i + 1], side, strlen(side)))
            f->as = argv[i + 1] + strlen(side) + 1;
    }
}

int main(int argc, char **argv)
{
    struct fake f = {.as = "ok", .docs = 42};
    uint64_t begun_ns = clock_mono_ns();
    struct child_msg msg;
    struct why why;
    parse(&f, argc, argv);
    (void)signal(SIGTERM, SIG_IGN);
    begin(&f);
    /* Longer than any test waits, so that nothing outlives a lost executor. */
    while (clock_mono_ns() < begun_ns + 60 * NS_PER_S) {
        struct pollfd p = {.fd = CHILD_FD_CONTROL, .events = POLLIN};
        (void)poll(&p, 1, 10);
        enum err e = child_receive(CHILD_FD_CONTROL, &msg, &why);
        if (e == ERR_GONE)
            stop(&f);
        if (!e)
            heard(&f, &msg);
        running(&f, begun_ns);
        if (f.end_ns && clock_mono_ns() >= f.end_ns)
            finish_load(&f);
    }
    return 9;
}
