#include "controller/serve.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/serve_reply.h"
#include "results/page_frame.h"

#define CONNECTIONS_MAX 64
#define IDLE_S          15
#define HEAD_BYTES      (16 * 1024) /* of a request; more is refused */

struct serve {
    struct MHD_Daemon *daemon;
    const char *db;
};

static const char *query(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

static void read_ask(struct MHD_Connection *connection, const char *path,
                     struct serve_ask *out)
{
    *out = (struct serve_ask){.route = serve_route_of(path),
                              .report = {.rows = query(connection, "rows"),
                                         .cols = query(connection, "cols"),
                                         .metrics = query(connection, "metric"),
                                         .where = query(connection, "where")},
                              .a = query(connection, "a"),
                              .b = query(connection, "b")};
}

static enum MHD_Result send_reply(struct MHD_Connection *connection,
                                  const struct serve_reply *reply)
{
    char policy[PAGE_POLICY_BYTES];
    const char *const headers[][2] = {
        {"Content-Type", reply->type},
        {"Content-Security-Policy", page_policy(true, policy)},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(reply->body), reply->body, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(reply->body);
        return MHD_NO;
    }
    enum MHD_Result ok = MHD_YES;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (MHD_add_response_header(response, headers[i][0], headers[i][1]) !=
            MHD_YES)
            ok = MHD_NO;
    if (reply->status == 405 &&
        MHD_add_response_header(response, "Allow", "GET, HEAD") != MHD_YES)
        ok = MHD_NO;
    if (ok == MHD_YES)
        ok = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return ok;
}

/* One request. A body is refused with its method, unread: the answer to the
 * first call, which is made when the head is there, ends the connection. */
static enum MHD_Result answer(void *data, struct MHD_Connection *connection,
                              const char *path, const char *method,
                              const char *version, const char *upload,
                              size_t *upload_len, void **state)
{
    const struct serve *serve = data;
    struct serve_reply reply;
    struct serve_ask ask;
    const char *host =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    (void)version, (void)upload, (void)upload_len, (void)state;
    if (strcmp(method, "GET") && strcmp(method, "HEAD")) {
        serve_reply_plain(405, "only GET and HEAD\n", &reply);
    } else if (!serve_route_host(host)) {
        serve_reply_plain(403,
                          "ask for this server by its number or as "
                          "localhost\n",
                          &reply);
    } else {
        read_ask(connection, path, &ask);
        serve_reply(serve->db, &ask, &reply);
    }
    return send_reply(connection, &reply);
}

enum err serve_start(struct serve **out, const char *db, int fd,
                     struct why *why)
{
    struct serve *serve = calloc(1, sizeof *serve);
    *out = NULL;
    if (!serve) {
        (void)close(fd);
        return err_set(why, ERR_NOMEM, "serve");
    }
    serve->db = db;
    serve->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, answer,
        serve, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEAD_BYTES, MHD_OPTION_END);
    if (!serve->daemon) {
        free(serve);
        (void)close(fd);
        return err_set(why, ERR_IO, "the web server does not start");
    }
    *out = serve;
    return ERR_OK;
}

void serve_stop(struct serve *serve)
{
    if (!serve)
        return;
    MHD_stop_daemon(serve->daemon);
    free(serve);
}
