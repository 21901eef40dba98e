/* One read of a connection: a fresh zeroed buffer of the predicted size from
 * the managed heap, filled by one recv without waiting (target-memory.md
 * section a), with the small garbage of a read. */
#ifndef PITWALL_TARGET_RECEIVE_H
#define PITWALL_TARGET_RECEIVE_H

#include "target/decoder.h"
#include "target/predictor.h"

enum receive {
    RECEIVE_BYTES,
    RECEIVE_NONE, /* nothing there now */
    RECEIVE_END,  /* the peer closed, or the connection broke */
    RECEIVE_OOM
};

/* Read into in, which is used up. RECEIVE_BYTES: in->ref is the caller's, with
 * in->len bytes. Every pointer of m may die. */
CHECKED enum receive receive_read(int fd, struct predictor *p,
                                  struct mutator *m, struct input *in);

/* The same in two steps, for bytes that come from elsewhere than a socket: a
 * buffer of the predicted size (false: out of memory), then the n bytes that
 * were put into it. With 0 bytes, or without memory for the small garbage, the
 * buffer is released. Every pointer of m may die. */
CHECKED bool receive_buffer(struct predictor *p, struct mutator *m,
                            struct input *in);
CHECKED enum receive receive_filled(struct predictor *p, struct mutator *m,
                                    struct input *in, uint32_t n);

/* Read at most size bytes into native memory instead: nothing is allocated. */
CHECKED enum receive receive_native(int fd, char *buf, uint32_t size,
                                    struct input *in);

#endif
