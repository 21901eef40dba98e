#include "common/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[] = {
#define ERR_AS_TEXT(name, text) text,
    ERR_TABLE(ERR_AS_TEXT)
#undef ERR_AS_TEXT
};

static const char *const names[] = {
#define ERR_AS_NAME(name, text) #name,
    ERR_TABLE(ERR_AS_NAME)
#undef ERR_AS_NAME
};

enum err err_set(struct why *why, enum err e, const char *fmt, ...)
{
    if (!why)
        return e;
    struct why fresh; /* an argument may be why's own text */
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(fresh.text, sizeof fresh.text, fmt, ap);
    va_end(ap);
    *why = fresh;
    return e;
}

/* "head: tail"; the tail's end is cut. */
PRINTF_LIKE(3, 0)
static void join(struct why *why, const char *tail, const char *fmt, va_list ap)
{
    struct why fresh;
    int n = vsnprintf(fresh.text, sizeof fresh.text, fmt, ap);
    size_t used = n < 0 ? 0 : (size_t)n;
    if (used < sizeof fresh.text)
        (void)snprintf(fresh.text + used, sizeof fresh.text - used, ": %s",
                       tail);
    *why = fresh;
}

enum err err_wrap(struct why *why, enum err e, const char *fmt, ...)
{
    if (!why)
        return e;
    va_list ap;
    va_start(ap, fmt);
    join(why, why->text[0] ? why->text : err_text(e), fmt, ap);
    va_end(ap);
    return e;
}

static enum err from_errno(int errnum)
{
    switch (errnum) {
    case EACCES:
    case EPERM:
    case EROFS:
        return ERR_PERMISSION;
    case ENOENT:
        return ERR_NOTFOUND;
    case EEXIST:
        return ERR_EXISTS;
    case ENOMEM:
        return ERR_NOMEM;
    case ENOSPC:
    case EDQUOT:
        return ERR_NOSPACE;
    case EBUSY:
    case EADDRINUSE:
        return ERR_BUSY;
    case ETIMEDOUT:
        return ERR_TIMEOUT;
    case EINTR:
        return ERR_INTERRUPTED;
    case EAGAIN:
        return ERR_AGAIN;
    case ECONNREFUSED:
        return ERR_REFUSED;
    case EPIPE:
    case ECONNRESET:
        return ERR_GONE;
    case ENOTSUP:
    case ENOSYS:
        return ERR_UNSUPPORTED;
    case ERANGE:
        return ERR_RANGE;
    default:
        return ERR_IO;
    }
}

enum err err_errno(struct why *why, int errnum, const char *fmt, ...)
{
    enum err e = from_errno(errnum);
    if (!why)
        return e;
    va_list ap;
    va_start(ap, fmt);
    join(why, strerror(errnum), fmt, ap);
    va_end(ap);
    return e;
}

const char *err_text(enum err e)
{
    return (unsigned)e < ERR_LAST ? texts[e] : "unknown error";
}

const char *err_name(enum err e)
{
    return (unsigned)e < ERR_LAST ? names[e] : "UNKNOWN";
}

int err_exit(enum err e)
{
    if (e == ERR_OK)
        return 0;
    if (e == ERR_USAGE || e == ERR_INVALID || e == ERR_RANGE ||
        e == ERR_NOTFOUND || e == ERR_VERSION)
        return 2;
    return e == ERR_INTERRUPTED ? 130 : 1;
}

int err_main(const char *program, enum err e, const struct why *why)
{
    if (e)
        (void)fprintf(stderr, "%s: %s\n", program,
                      why && why->text[0] ? why->text : err_text(e));
    return err_exit(e);
}
