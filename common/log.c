#include "common/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "common/text.h"

/* One write(2) per line, so that lines of several processes do not mix. */
PRINTF_LIKE(2, 0)
static void line(const char *level, const char *fmt, va_list ap)
{
    char buf[1024];
    int n = snprintf(buf, sizeof buf - 1, "%s %s ",
                     program_invocation_short_name, level);
    if (n < 0 || (size_t)n >= sizeof buf - 1)
        return;
    size_t used = (size_t)n;
    n = vsnprintf(buf + used, sizeof buf - 1 - used, fmt, ap);
    if (n < 0)
        return;
    used +=
        (size_t)n < sizeof buf - 1 - used ? (size_t)n : sizeof buf - 2 - used;
    text_clean(buf, used);
    for (size_t i = 0; i < used; i++)
        if (buf[i] == '\n' || buf[i] == '\t')
            buf[i] = '?';
    buf[used] = '\n';
    ssize_t written = write(STDERR_FILENO, buf, used + 1);
    (void)written;
}

#define LOG_LEVEL(name)                                                        \
    void log_##name(const char *fmt, ...)                                      \
    {                                                                          \
        va_list ap;                                                            \
        va_start(ap, fmt);                                                     \
        line(#name, fmt, ap);                                                  \
        va_end(ap);                                                            \
    }

LOG_LEVEL(info)
LOG_LEVEL(warn)
LOG_LEVEL(error)
