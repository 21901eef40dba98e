#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/chan/peers.h"
#include "tests/unit/chan/raw.h"
#include "tests/unit/controller/papers.h"

#define DAY 86400

static struct papers lab, other;
static struct creds agent, controller;
static char url[64];
static struct why why;
static struct cert peer;

static int begin_all(void **state)
{
    (void)state;
    papers_init(&lab);
    papers_init(&other);
    agent = papers_issue(&lab, "srv", CA_AGENT, -DAY, DAY);
    controller = papers_issue(&lab, "op", CA_CONTROLLER, -DAY, DAY);
    return 0;
}

static int end_all(void **state)
{
    (void)state;
    creds_free(&agent);
    creds_free(&controller);
    return 0;
}

/* A server with these credentials at url. */
static struct chan_server *listen_as(const struct creds *creds)
{
    struct chan_server *server = NULL;
    (void)snprintf(url, sizeof url, "tls+%s", peers_tcp());
    check_ok(chan_listen_tls(&server, url, creds, &why), why);
    return server;
}

static enum err dial_as(struct chan **chan, const struct creds *creds)
{
    const struct chan_trust trust = {.creds = creds, .name = "srv"};
    why.text[0] = '\0';
    return chan_dial_tls(chan, url, &trust, PATIENCE_NS, &peer, &why);
}

static void a_request_and_its_answer_go_through_tls(void **state)
{
    struct chan *chan = NULL;
    struct chan_server *server = listen_as(&agent);
    (void)state;
    check_ok(dial_as(&chan, &controller), why);
    assert_string_equal(peer.name, "srv");
    assert_int_equal(peer.until_s, agent.own.until_s);
    peers_echo(chan, server, "hello");
    /* NNG may tell of a peer after it has brought its first request. */
    uint64_t due_ns = clock_mono_ns() + PATIENCE_NS;
    while (chan_server_peers(server) != 1 && clock_mono_ns() < due_ns)
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    assert_int_equal(chan_server_peers(server), 1);
    chan_close(chan);
    chan_server_close(server);
}

static void the_urls_name_stands_for_the_agents(void **state)
{
    struct chan *chan = NULL;
    char named[80];
    struct chan_server *server = listen_as(&agent);
    const struct chan_trust trust = {.creds = &controller, .name = ""};
    (void)state;
    (void)snprintf(named, sizeof named, "tls+tcp://srv@%s", url + 10);
    check_ok(chan_dial_tls(&chan, named, &trust, PATIENCE_NS, NULL, &why), why);
    chan_close(chan);
    chan = NULL;
    check_err(chan_dial_tls(&chan, url, &trust, PATIENCE_NS, NULL, &why),
              ERR_PERMISSION);
    check_says(why, "its certificate is of \"srv\", not of \"127.0.0.1\"");
    assert_null(chan);
    chan_server_close(server);
}

/* An agent with these credentials is not talked to. */
static void check_agent_refused(struct creds creds, enum err e,
                                const char *part)
{
    struct chan *chan = NULL;
    struct chan_server *server = listen_as(&creds);
    check_err(dial_as(&chan, &controller), e);
    check_says(why, url);
    check_says(why, part);
    assert_null(chan);
    assert_int_equal(chan_server_peers(server), 0);
    chan_server_close(server);
    creds_free(&creds);
}

static void agents_that_are_not_the_one_are_refused(void **state)
{
    (void)state;
    check_agent_refused(papers_issue(&lab, "gen", CA_AGENT, -DAY, DAY),
                        ERR_PERMISSION, "of \"gen\", not of \"srv\"");
    check_agent_refused(papers_issue(&other, "srv", CA_AGENT, -DAY, DAY),
                        ERR_PERMISSION,
                        "not signed by the authority that we trust");
    check_agent_refused(papers_issue(&lab, "srv", CA_AGENT, -DAY, -60),
                        ERR_PERMISSION, "(of \"srv\"): expired ");
    check_agent_refused(papers_issue(&lab, "srv", CA_AGENT, 3600, DAY),
                        ERR_PERMISSION, "(of \"srv\"): not valid before ");
    /* a stolen controller's key makes no agent */
    check_agent_refused(papers_issue(&lab, "srv", CA_CONTROLLER, -DAY, DAY),
                        ERR_PROTOCOL, "has no certificate for an agent");
}

/* Who comes with these credentials is not served. */
static void check_controller_refused(struct creds creds, const char *part)
{
    struct chan *chan = NULL;
    struct chan_server *server = listen_as(&agent);
    free(creds.ca); /* it trusts our agent; does the agent trust it? */
    creds.ca = strdup(controller.ca);
    check_err(dial_as(&chan, &creds), ERR_PERMISSION);
    check_says(why, "does not accept our certificate");
    check_says(why, part);
    assert_null(chan);
    assert_int_equal(chan_server_peers(server), 0);
    chan_server_close(server);
    creds_free(&creds);
}

static void controllers_that_are_none_are_refused(void **state)
{
    (void)state;
    check_controller_refused(
        papers_issue(&other, "op", CA_CONTROLLER, -DAY, DAY), "(of \"op\")");
    check_controller_refused(papers_issue(&lab, "op", CA_CONTROLLER, -DAY, -60),
                             "(of \"op\": expired ");
    check_controller_refused(papers_issue(&lab, "op", CA_CONTROLLER, 3600, DAY),
                             "(of \"op\": not valid before ");
    /* a stolen agent's key commands nobody */
    check_controller_refused(papers_issue(&lab, "gen", CA_AGENT, -DAY, DAY),
                             "(of \"gen\")");
}

/* The role alone: signed by the right authority for the other use. */
static void the_use_of_a_certificate_counts_beside_its_authority(void **state)
{
    struct ca_pair pair;
    struct ca_wish wish = {.name = "op",
                           .role = CA_AGENT,
                           .from_s = controller.own.from_s,
                           .until_s = controller.own.until_s};
    (void)state;
    check_ok(ca_make(&pair, &wish, &lab.authority[CA_CONTROLLER], &why), why);
    check_controller_refused(
        (struct creds){.ca = strdup(controller.ca),
                       .cert = strdup(pair.cert),
                       .key = strdup(pair.key),
                       .own = {.name = "op", .until_s = INT64_MAX}},
        "(of \"op\")");
    wish.name = "srv";
    wish.role = CA_CONTROLLER;
    check_ok(ca_make(&pair, &wish, &lab.authority[CA_AGENT], &why), why);
    check_agent_refused((struct creds){.ca = strdup(agent.ca),
                                       .cert = strdup(pair.cert),
                                       .key = strdup(pair.key)},
                        ERR_PROTOCOL, "has no certificate for an agent");
}

static void what_is_no_tls_agent_is_told(void **state)
{
    struct chan *chan = NULL;
    (void)state;
    (void)snprintf(url, sizeof url, "tls+%s", peers_tcp());
    check_err(dial_as(&chan, &controller), ERR_REFUSED);
    check_says(why, url);
    struct chan_server *server = peers_listen(url + 4); /* plain tcp */
    check_err(dial_as(&chan, &controller), ERR_PROTOCOL);
    check_says(why, "does not speak TLS");
    chan_server_close(server);
    (void)snprintf(url, sizeof url, "tls+%s", peers_tcp());
    int fd = raw_listen(url);
    const struct chan_trust trust = {.creds = &controller, .name = "srv"};
    check_err(chan_dial_tls(&chan, url, &trust, BRIEFLY_NS, &peer, &why),
              ERR_TIMEOUT);
    (void)close(fd);
    assert_null(chan);
}

/* Connections that never speak stay open in NNG for ever. */
static void renewing_a_server_ends_connections_that_never_spoke(void **state)
{
    struct chan *chan = NULL;
    const void *data = NULL;
    size_t len = 0;
    char byte;
    struct chan_server *server = listen_as(&agent);
    (void)state;
    int fd = raw_connect(url);
    check_ok(dial_as(&chan, &controller), why);
    check_ok(chan_server_renew(server, &why), why);
    assert_false(raw_read(fd, &byte, 1)); /* else it waits for the test's end */
    (void)close(fd);
    /* The old connection's end may be heard of by the first request alone. */
    check_ok(chan_submit(chan, "a", 1, PATIENCE_NS, &why), why);
    enum err e = peers_finish(chan, server, &data, &len, &why);
    assert_true(!e || e == ERR_GONE);
    peers_echo(chan, server, "again");
    chan_close(chan);
    chan_server_close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_and_its_answer_go_through_tls),
        cmocka_unit_test(the_urls_name_stands_for_the_agents),
        cmocka_unit_test(agents_that_are_not_the_one_are_refused),
        cmocka_unit_test(controllers_that_are_none_are_refused),
        cmocka_unit_test(the_use_of_a_certificate_counts_beside_its_authority),
        cmocka_unit_test(what_is_no_tls_agent_is_told),
        cmocka_unit_test(renewing_a_server_ends_connections_that_never_spoke),
    };
    return cmocka_run_group_tests(tests, begin_all, end_all);
}
