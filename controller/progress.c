#include "controller/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/units.h"

void progress_init(struct progress *p, bool quiet)
{
    *p = (struct progress){.quiet = quiet,
                           .terminal = isatty(STDERR_FILENO) == 1};
}

const char *progress_time(uint64_t ns, char *buf, size_t size)
{
    unsigned long long s = (ns + NS_PER_S - 1) / NS_PER_S;
    if (s >= 86400)
        (void)snprintf(buf, size, "%llu d %llu h", s / 86400, s % 86400 / 3600);
    else if (s >= 3600)
        (void)snprintf(buf, size, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60,
                       s % 60);
    else
        (void)snprintf(buf, size, "%llu:%02llu", s / 60, s % 60);
    return buf;
}

const char *progress_line(const struct progress_now *now, char *buf,
                          size_t size)
{
    char left[32], rate[24], attempt[32] = "", speed[48] = "";
    if (now->attempt > 1)
        (void)snprintf(attempt, sizeof attempt, ", attempt %u", now->attempt);
    if (now->docs_s > 0)
        (void)snprintf(speed, sizeof speed, "  %s docs/s",
                       units_show_count(rate, sizeof rate, now->docs_s));
    (void)snprintf(buf, size, "%strial %u of %u%s  %s  %s%s  %s left",
                   now->bench ? now->bench : "", now->trial, now->n_trials,
                   attempt, now->cell, now->phase, speed,
                   progress_time(now->left_ns, left, sizeof left));
    return buf;
}

/* A line that wraps cannot be redrawn. */
static size_t terminal_width(void)
{
    struct winsize w;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || w.ws_col < 20)
        return 80;
    return w.ws_col;
}

void progress_show(struct progress *p, const struct progress_now *now)
{
    char line[512];
    if (p->quiet || !p->terminal)
        return;
    size_t width = terminal_width();
    size_t size = width < sizeof line ? width : sizeof line;
    (void)fprintf(stderr, "\r%s\033[K", progress_line(now, line, size));
    (void)fflush(stderr);
    p->drawn = true;
}

void progress_clear(struct progress *p)
{
    if (p->drawn)
        (void)fprintf(stderr, "\r\033[K");
    (void)fflush(stderr);
    p->drawn = false;
}

void progress_say(struct progress *p, const char *fmt, ...)
{
    va_list ap;
    if (p->quiet)
        return;
    progress_clear(p);
    va_start(ap, fmt);
    (void)vfprintf(stderr, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stderr);
}
