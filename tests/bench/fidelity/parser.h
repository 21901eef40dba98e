/* A parse thread of the reference server: every line of a body is copied, and
 * short strings are made of it (RefServer.parse). */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_PARSER_H
#define PITWALL_TESTS_BENCH_FIDELITY_PARSER_H

#include "tests/bench/fidelity/peer.h"

struct parser {
    struct mutator *mutator;
    struct peer *peer; /* whose body it parses; NULL: idle */
    uint64_t idle_since_ns;
    size_t line;
    uint64_t credit_bytes; /* that it may still parse now */
};

/* Parse bytes more, or until the body's end, with one string per 64 * work
 * bytes. True: the body is done. server->oom when the heap is exhausted. */
bool parser_run(struct parser *parser, struct server *server, uint64_t bytes);

#endif
