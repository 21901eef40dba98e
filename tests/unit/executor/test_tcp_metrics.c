/* Entries that real connections leave behind, in network namespaces. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/link.h"
#include "agent/executor/tcp_metrics.h"
#include "tests/lib/check.h"

#define PORT 24011

static struct sockaddr_in at_target(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    (void)inet_pton(AF_INET, "10.77.0.1", &in.sin_addr);
    return in;
}

struct work {
    const char *own, *peer;
    unsigned n;
};

static enum err listens(void *arg, struct why *why)
{
    (void)arg;
    struct sockaddr_in in = at_target();
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char byte;
    if (bind(fd, (struct sockaddr *)&in, sizeof in) || listen(fd, 1))
        return err_set(why, ERR_IO, "listen");
    int c = accept(fd, NULL, NULL);
    while (read(c, &byte, 1) > 0) /* until the other end has closed */
        ;
    return close(c) ? ERR_IO : ERR_OK;
}

/* Runs while listens does: a connection that measures a round trip and ends. */
static enum err connects(void *arg, struct why *why)
{
    (void)arg;
    struct sockaddr_in in = at_target();
    char text[4096] = "";
    int fd = -1, bad = -1;
    for (int i = 0; i < 500 && bad; i++) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        bad = connect(fd, (struct sockaddr *)&in, sizeof in);
        if (bad) {
            (void)close(fd);
            (void)poll(NULL, 0, 10);
        }
    }
    for (int i = 0; i < 20 && !bad; i++)
        bad = write(fd, text, sizeof text) != sizeof text || poll(NULL, 0, 1);
    if (bad || shutdown(fd, SHUT_WR) || read(fd, text, 1) != 0 || close(fd))
        return err_set(why, ERR_IO, "connect");
    return ERR_OK;
}

static enum err forgets(void *arg, struct why *why)
{
    struct work *w = arg;
    return tcp_metrics_forget(w->own, w->peer, &w->n, why);
}

static unsigned forgotten(const struct cage *cage, const char *own,
                          const char *peer)
{
    struct work w = {.own = own, .peer = peer};
    struct why why = {0};
    check_ok(cage_run(cage, forgets, &w, sizeof w, &why), why);
    return w.n;
}

static void talk(const struct cage *target, const struct cage *load)
{
    struct why why = {0};
    pid_t pid = fork();
    if (pid == 0)
        _exit(cage_run(target, listens, NULL, 0, &why) != ERR_OK);
    check_ok(cage_run(load, connects, NULL, 0, &why), why);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void tcp_metrics_forgets_those_of_the_two_addresses(void **state)
{
    (void)state;
    const struct trial_spec spec = {.link_kind = "veth"};
    struct cage target = CAGE_NONE, load = CAGE_NONE;
    struct link_plan plan;
    struct link_state made;
    struct why why = {0};
    if (cage_open(&target, CAGE_NAMESPACES, NULL, NULL, &why) ||
        cage_open(&load, CAGE_NAMESPACES, NULL, NULL, &why)) {
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
        cage_close(&target);
        skip();
    }
    check_ok(link_plan_make(&plan, &spec, &why), why);
    check_ok(link_make(&plan, &target, &load, &made, &why), why);
    assert_int_equal(forgotten(&load, "10.77.0.2", ""), 0);
    talk(&target, &load);
    /* Of others nothing goes. */
    assert_int_equal(forgotten(&load, "10.77.0.2", "10.77.0.9"), 0);
    assert_int_equal(forgotten(&load, "10.77.0.9", ""), 0);
    assert_int_equal(forgotten(&load, "10.77.0.2", "10.77.0.1"), 1);
    assert_int_equal(forgotten(&load, "10.77.0.2", "10.77.0.1"), 0);
    talk(&target, &load);
    assert_int_equal(forgotten(&load, "10.77.0.2", ""), 1);
    cage_close(&load);
    cage_close(&target);
}

static void tcp_metrics_refuses_what_is_no_address(void **state)
{
    (void)state;
    struct why why = {0};
    unsigned n = 1;
    check_err(tcp_metrics_forget("host", "", &n, &why), ERR_INVALID);
    check_err(tcp_metrics_forget("10.0.0.1", "x", &n, &why), ERR_INVALID);
    check_says(why, "\"10.0.0.1\", \"x\"");
    assert_int_equal(n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_metrics_forgets_those_of_the_two_addresses),
        cmocka_unit_test(tcp_metrics_refuses_what_is_no_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
