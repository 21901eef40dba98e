/* /proc/PID/stat: one process. */
#ifndef PITWALL_AGENT_WATCH_PROCSTAT_H
#define PITWALL_AGENT_WATCH_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procstat {
    uint64_t pid, pgrp;
    char comm[17]; /* at most 15 bytes of anything; kernel threads have more */
    uint64_t majflt;
    uint64_t user_ticks, system_ticks; /* of all its threads, also ended ones */
    uint64_t threads;
    uint64_t rss_pages;
};

/* Read the text. The comm stands in parentheses and may hold any byte, also
 * parentheses and line ends: the last ") " ends it. False for other shapes. */
bool procstat_parse(const char *text, size_t len, struct procstat *out);

#endif
