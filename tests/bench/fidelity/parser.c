#include "tests/bench/fidelity/parser.h"

#define LIST_BYTES   24u /* ArrayList */
#define LIST_FIRST   10u /* its first capacity */
#define STRING_BYTES 24u
#define CHARS_BYTES  32u /* byte[16] */
#define FIELD_CHARS  16u
#define FIELD_STEP   64u
#define ARRAY_HEADER 16u
#define REF_BYTES    4u

static bool add_string(struct mutator *m, uint64_t have, uint64_t *capacity)
{
    if (have == *capacity) {
        *capacity = have ? have + have / 2 : LIST_FIRST;
        if (!heap_garbage(m, ARRAY_HEADER + REF_BYTES * *capacity))
            return false;
    }
    return heap_garbage(m, STRING_BYTES) && heap_garbage(m, CHARS_BYTES);
}

static bool parse_line(struct mutator *m, uint32_t bytes, uint64_t work)
{
    uint64_t n = 0, capacity = 0;
    if (!heap_garbage(m, ARRAY_HEADER + bytes) || !heap_garbage(m, LIST_BYTES))
        return false;
    for (uint64_t at = 0; at + FIELD_CHARS <= bytes; at += FIELD_STEP * work)
        if (!add_string(m, n++, &capacity))
            return false;
    return true;
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
