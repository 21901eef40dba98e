#include "agent/watch/jvm_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES 16384u

void jvm_log_init(struct jvm_log *log, const char *path)
{
    *log = (struct jvm_log){.path = path, .fd = -1};
}

void jvm_log_close(struct jvm_log *log)
{
    if (log->fd >= 0)
        (void)close(log->fd);
    log->fd = -1;
}

/* NONBLOCK: opening a pipe must not wait for its writer. */
static bool open_log(struct jvm_log *log)
{
    struct stat st;
    if (log->fd >= 0)
        return true;
    log->fd = open(log->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (log->fd < 0 || fstat(log->fd, &st) || !S_ISREG(st.st_mode)) {
        (void)snprintf(log->why, sizeof log->why, "%.100s: %s", log->path,
                       log->fd < 0 ? strerror(errno) : "not a plain file");
        jvm_log_close(log);
        return false;
    }
    log->why[0] = '\0';
    return true;
}

static void end_line(struct jvm_log *log, struct jvm_sum *sum)
{
    struct gclog_line line;
    if (!log->skipping && gclog_parse(scan_text(log->line, log->held), &line))
        jvm_sum_line(sum, &line);
    log->held = 0;
    log->skipping = false;
}

/* The agent gives the disk back what is beyond its cap: zeros stand there. */
static void take(struct jvm_log *log, const char *piece, size_t len,
                 struct jvm_sum *sum)
{
    const char *end = piece + len;
    while (piece < end) {
        const char *feed = memchr(piece, '\n', (size_t)(end - piece));
        size_t n = (size_t)((feed ? feed : end) - piece);
        log->cut |= memchr(piece, '\0', n) != NULL;
        if (n > sizeof log->line - log->held)
            log->skipping = true;
        if (!log->skipping) {
            memcpy(log->line + log->held, piece, n);
            log->held += n;
        }
        if (feed)
            end_line(log, sum);
        piece += n + (feed != NULL);
    }
}

void jvm_log_read(struct jvm_log *log, uint64_t bytes_max, struct jvm_sum *sum)
{
    char piece[PIECE_BYTES];
    uint64_t end = log->at + bytes_max;
    if (!open_log(log))
        return;
    while (log->at < end) {
        ssize_t n = pread(log->fd, piece, sizeof piece, (off_t)log->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            (void)snprintf(log->why, sizeof log->why, "%.100s: %s", log->path,
                           strerror(errno));
        if (n <= 0)
            return;
        take(log, piece, (size_t)n, sum);
        log->at += (uint64_t)n;
    }
}
