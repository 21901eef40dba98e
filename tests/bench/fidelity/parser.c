#include "tests/bench/fidelity/parser.h"

#include "target/parse.h"

#define ARRAY_HEADER 16u

static bool parse_line(struct mutator *m, uint32_t bytes, uint64_t work)
{
    return heap_garbage(m, ARRAY_HEADER + bytes) &&
           parse_garbage(m, bytes, (uint32_t)work);
}

bool parser_run(struct parser *parser, struct server *server, uint64_t bytes)
{
    const struct driver *d = parser->peer->driver;
    struct mutator *m = parser->mutator;
    parser->credit_bytes += bytes;
    server_enter(m);
    while (!server->oom && parser->line < d->n_lines &&
           parser->credit_bytes > d->lines[parser->line]) {
        uint32_t line = d->lines[parser->line++];
        parser->credit_bytes -= line;
        server->oom = !parse_line(m, line, server->row->parse_work);
    }
    server_leave(m);
    return parser->line == d->n_lines;
}
