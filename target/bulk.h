/* The lines of a bulk body that lies in slices. A line inside neighbouring
 * slices of one buffer is read where it is; one that crosses buffers is copied
 * into an object of the heap first, as the parse threads' garbage. */
#ifndef PITWALL_TARGET_BULK_H
#define PITWALL_TARGET_BULK_H

#include "target/body.h"
#include "target/bulk_json.h"

/* Bytes of neighbouring slices of one buffer that are yet to be read. */
struct bulk_run {
    heap_ref ref;
    uint32_t off, left;
    uint32_t next; /* the component that follows */
};

struct bulk {
    const struct body *body;
    struct mutator *mutator;
    struct bulk_run run;
    bool copies;
    size_t number; /* of the line read last, from 1 */
    heap_ref copy; /* of the line read last, 0: none */
};

enum bulk_line {
    BULK_LINE,      /* there is one */
    BULK_LINE_LAST, /* the rest of the body, without a line feed */
    BULK_LINE_NONE, /* the body is used up */
    BULK_LINE_OOM
};

/* Begin at the body's start; body and mutator are borrowed. copies: every line
 * is copied, as a parser that takes its input apart does. */
struct bulk bulk_begin(const struct body *body, struct mutator *mutator,
                       bool copies);

/* The next line without its line feed, into *line: valid until the mutator's
 * next allocation or poll, or bulk_next. Every other pointer of the mutator may
 * die. */
CHECKED enum bulk_line bulk_next(struct bulk *b, struct bulk_cursor *line);

/* Release the last line's copy. */
void bulk_end(struct bulk *b);

/* Whether the body's last byte is a line feed. */
bool bulk_terminated(const struct body *body, const struct mutator *mutator);

#endif
