/* The answer to one request of `pitwall serve`, from a store that is opened for
 * reading and closed again. */
#ifndef PITWALL_CONTROLLER_SERVE_REPLY_H
#define PITWALL_CONTROLLER_SERVE_REPLY_H

#include "controller/serve_route.h"
#include "results/answer.h"

struct serve_ask {
    struct serve_route route;
    struct answer_report report; /* of the query; texts are borrowed */
    const char *a, *b;           /* cells side by side; NULL: the first two */
};

struct serve_reply {
    unsigned status;
    const char *type; /* of the body */
    char *body;       /* malloc'ed, never NULL */
};

/* Fill out, whatever happens: a failure is a reply too. Owns: out->body is the
 * caller's to free. Thread: any, one at a time. */
void serve_reply(const char *db, const struct serve_ask *ask,
                 struct serve_reply *out);

/* A page of one sentence. */
void serve_reply_plain(unsigned status, const char *text,
                       struct serve_reply *out);

#endif
