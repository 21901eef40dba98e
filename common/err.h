/* The one error type of the tree: a code that travels on the wire, and a text
 * that gains context at each layer and is printed once, by main. */
#ifndef PITWALL_COMMON_ERR_H
#define PITWALL_COMMON_ERR_H

#include <stdint.h>

#define CHECKED            __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, va) __attribute__((format(printf, f, va)))

/* Append only: the numbers travel on the wire and stand in stores. */
#define ERR_TABLE(X)                                                           \
    X(OK, "ok")                                                                \
    X(NOMEM, "out of memory")                                                  \
    X(INVALID, "invalid")                                                      \
    X(USAGE, "usage")                                                          \
    X(IO, "input/output error")                                                \
    X(NOSPACE, "no space left")                                                \
    X(PERMISSION, "not permitted")                                             \
    X(NOTFOUND, "not found")                                                   \
    X(EXISTS, "exists already")                                                \
    X(BUSY, "busy")                                                            \
    X(TIMEOUT, "timed out")                                                    \
    X(PROTOCOL, "malformed message")                                           \
    X(VERSION, "version mismatch")                                             \
    X(RANGE, "out of range")                                                   \
    X(FENCED, "fenced by a newer lease")                                       \
    X(HELD, "held by another owner")                                           \
    X(LATE, "start time has passed")                                           \
    X(STATE, "not possible in this state")                                     \
    X(GONE, "peer is gone")                                                    \
    X(REFUSED, "refused")                                                      \
    X(UNSUPPORTED, "not supported here")                                       \
    X(CORRUPT, "damaged data")                                                 \
    X(INTERRUPTED, "interrupted")                                              \
    X(CHILD, "a child process failed")                                         \
    X(OOM, "the target ran out of its heap")                                   \
    X(AGAIN, "not ready yet")                                                  \
    X(INTERNAL, "internal fault")

enum err {
#define ERR_ENUM(name, text) ERR_##name,
    ERR_TABLE(ERR_ENUM)
#undef ERR_ENUM
        ERR_LAST
};

_Static_assert(ERR_LAST < 256, "one wire byte");

/* The text beside a code. Start with {0}; each layer prefixes its context. */
struct why {
    char text[512];
};

/* Set the text (replacing what stood there) and return e.
 * why may be NULL: the text is dropped. Thread: any, on its own why. */
enum err err_set(struct why *why, enum err e, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Prefix the text with "context: " and return e unchanged.
 * When the text is still empty the code's own text follows the context.
 * The end is cut when the buffer is full, never the context. */
enum err err_wrap(struct why *why, enum err e, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Translate errno (read by the caller at once after the call) and set the text
 * to "what: strerror". EACCES/EPERM/EROFS -> ERR_PERMISSION, ENOENT ->
 * ERR_NOTFOUND, EEXIST -> ERR_EXISTS, ENOMEM -> ERR_NOMEM, ENOSPC/EDQUOT ->
 * ERR_NOSPACE, EBUSY/EADDRINUSE -> ERR_BUSY, ETIMEDOUT -> ERR_TIMEOUT, EINTR ->
 * ERR_INTERRUPTED, EAGAIN -> ERR_AGAIN, ECONNREFUSED -> ERR_REFUSED,
 * EPIPE/ECONNRESET -> ERR_GONE, ENOTSUP/ENOSYS -> ERR_UNSUPPORTED, ERANGE ->
 * ERR_RANGE, else ERR_IO. */
enum err err_errno(struct why *why, int errnum, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The code's text ("timed out") and name ("TIMEOUT"); never NULL. A number
 * outside the table gives "unknown error" and "UNKNOWN". */
const char *err_text(enum err e);
const char *err_name(enum err e);

/* The process exit status of cli.md for a failure: 0 ok, 2 usage or bad input
 * (ERR_USAGE, ERR_INVALID, ERR_RANGE, ERR_NOTFOUND, ERR_VERSION), 130
 * interrupted, else 1. */
int err_exit(enum err e);

/* Print "program: text" once on stderr (nothing when e is ERR_OK) and return
 * err_exit(e): the last line of every main. */
int err_main(const char *program, enum err e, const struct why *why);

#endif
