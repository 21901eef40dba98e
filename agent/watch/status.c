#include "agent/watch/status.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/watch/scan.h"
#include "agent/watch/source.h"

#define STATUS_BYTES 8192

static bool take_mask(struct scan *line, uint64_t *out)
{
    struct scan word;
    char text[17], *end = NULL;
    if (!scan_word(line, &word) || word.end - word.at > 16)
        return false;
    scan_copy(&word, text, sizeof text);
    *out = strtoull(text, &end, 16);
    return *end == '\0';
}

/* Outermost first: the last number is the process's own. */
static bool take_pids(struct scan *line, int *out)
{
    uint64_t pid = 0, last = 0;
    while (scan_u64(line, &pid))
        last = pid;
    *out = (int)last;
    return last && last <= INT_MAX;
}

bool status_parse(const char *text, size_t len, struct status *out)
{
    struct scan all = scan_text(text, len), line, word;
    bool pid = false, caught = false;
    *out = (struct status){0};
    while (scan_line(&all, &line)) {
        if (!scan_word(&line, &word))
            continue;
        if (scan_is(&word, "NSpid:"))
            pid = take_pids(&line, &out->own_pid);
        else if (scan_is(&word, "SigCgt:"))
            caught = take_mask(&line, &out->caught);
    }
    return pid && caught;
}

bool status_read(struct status *out, const char *proc_dir, int pid)
{
    char path[64], text[STATUS_BYTES];
    struct source source;
    (void)snprintf(path, sizeof path, "%.40s/%d/status", proc_dir, pid);
    source_open(&source, path);
    size_t len = source_read(&source, text, sizeof text);
    source_close(&source);
    return status_parse(text, len, out);
}
