#include "results/gc_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 1000u

/* The time at the end of a line, in ns; NaN: there is none. */
static double time_of(const char *line, size_t len)
{
    char number[24];
    size_t end = len < 2 ? 0 : len - 2, at = end;
    if (!end || memcmp(line + end, "ms", 2) != 0)
        return NAN;
    while (at && ((line[at - 1] >= '0' && line[at - 1] <= '9') ||
                  line[at - 1] == '.'))
        at--;
    if (at == end || end - at >= sizeof number || !at || line[at - 1] != ' ')
        return NAN;
    memcpy(number, line + at, end - at);
    number[end - at] = '\0';
    return strtod(number, NULL) * 1e6;
}

static void read_line(struct gc_log *log, const char *line, size_t len)
{
    static const char pause[] = "Pause ", young[] = "Pause Young";
    if (len && line[len - 1] == '\r')
        len--;
    const char *at = memmem(line, len, pause, sizeof pause - 1);
    double ns = at && len <= LINE_MAX_BYTES ? time_of(line, len) : NAN;
    if (isnan(ns))
        return;
    if (memmem(line, len, young, sizeof young - 1))
        log->young++;
    else
        log->other++;
    log->pause_ns += ns;
    log->max_ns = fmax(log->max_ns, ns);
}

struct gc_log gc_log_read(const char *text, size_t len)
{
    struct gc_log log = {0};
    const char *end = text + len;
    while (text < end) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        read_line(&log, text, (size_t)((next ? next : end) - text));
        text = next ? next + 1 : end;
    }
    return log;
}
