/* serve: the store's reports as live pages, until Ctrl-C. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "controller/command.h"
#include "controller/command_report.h"
#include "controller/interrupt.h"
#include "controller/listen.h"
#include "controller/serve.h"
#include "results/store.h"

enum { KEY_DB = 256, KEY_LISTEN };

struct words {
    const char *db, *listen;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_LISTEN:
        w->listen = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A store that cannot be read is told now, not to each browser. */
static enum err check_store(const char *db, struct why *why)
{
    struct store *store = NULL;
    enum err e = store_open(&store, db, STORE_READ, why);
    store_close(store);
    return e;
}

static enum err await(int interrupt_fd, struct why *why)
{
    struct pollfd wait = {.fd = interrupt_fd, .events = POLLIN};
    while (!interrupt_take(interrupt_fd))
        if (poll(&wait, 1, -1) < 0 && errno != EINTR)
            return err_errno(why, errno, "wait for Ctrl-C");
    return ERR_OK;
}

static enum err serve(const struct words *w, int interrupt_fd, struct why *why)
{
    struct serve *server = NULL;
    struct listen at;
    enum err e = check_store(w->db, why);
    if (!e)
        e = listen_open(w->listen, &at, why);
    if (!e)
        e = serve_start(&server, w->db, at.fd, why);
    if (!e && !at.loopback)
        (void)fprintf(stderr, "pitwall: everybody who reaches %s can read %s\n",
                      at.url, w->db);
    if (!e && (printf("%s of %s, until Ctrl-C\n", at.url, w->db) < 0 ||
               fflush(stdout)))
        e = err_errno(why, errno, "write to standard output");
    if (!e)
        e = await(interrupt_fd, why);
    serve_stop(server);
    return e;
}

enum err serve_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
        {"listen", KEY_LISTEN, "ADDRESS:PORT", 0,
         "where (default: 127.0.0.1:7480, which only this machine reaches; "
         "port 0: any that is free)",
         0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Serve the store's reports as pages, until Ctrl-C: the list of "
               "experiments, each one's report with the progress of a running "
               "one, two cells side by side. It only reads."};
    struct words w = {.db = "lab.db", .listen = "127.0.0.1:7480"};
    int interrupt_fd = -1;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (!e)
        e = interrupt_open(&interrupt_fd, why);
    if (!e)
        e = serve(&w, interrupt_fd, why);
    if (interrupt_fd >= 0)
        (void)close(interrupt_fd);
    *status = 0;
    return e;
}
