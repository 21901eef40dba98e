/* What a long command says while it runs, on stderr: one line that is redrawn
 * where that is a terminal, else a line per finished trial. */
#ifndef PITWALL_CONTROLLER_PROGRESS_H
#define PITWALL_CONTROLLER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct progress {
    bool quiet, terminal;
    bool drawn; /* a line stands there unfinished */
};

/* A moment. */
struct progress_now {
    const char *bench;        /* goes before all: "rack1: "; NULL: nothing */
    uint32_t trial, n_trials; /* from 1 */
    uint32_t attempt;         /* from 1 */
    const char *cell, *phase;
    double docs_s;    /* 0: none yet */
    uint64_t left_ns; /* time left */
};

/* Begin; terminal by what stderr is. */
void progress_init(struct progress *p, bool quiet);

/* The moment as one line of at most size - 1 bytes, into buf (returned):
 * "trial 7 of 39  heap=1g  measuring  12.3k docs/s  1:02 left". */
const char *progress_line(const struct progress_now *now, char *buf,
                          size_t size);

/* "0:07", "12:03", "3:04:05", "2 d 4 h", rounded up to seconds, into buf. */
const char *progress_time(uint64_t ns, char *buf, size_t size);

/* Redraw the line (terminals only). */
void progress_show(struct progress *p, const struct progress_now *now);

/* Say a line that stays; quiet says nothing. */
void progress_say(struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Remove the redrawn line. */
void progress_clear(struct progress *p);

#endif
