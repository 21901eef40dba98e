/* What a bench makes of what it is told: the half of bench.c that changes its
 * state; bench.c decides what to do from the state. */
#ifndef PITWALL_CONTROLLER_HEARING_H
#define PITWALL_CONTROLLER_HEARING_H

#include "controller/bench.h"

/* Take one event. */
void hearing_take(struct bench *b, const struct bench_event *ev);

/* Enter a phase; its deadline and polling begin at now_ns. */
void hearing_enter(struct bench *b, enum bench_phase phase, uint64_t now_ns);

/* The attempt failed: keep the first text and stop it on the agent where it may
 * be running, else end it. */
void hearing_fail(struct bench *b, uint64_t now_ns, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* End the attempt without results. */
void hearing_drop(struct bench *b, enum attempt_outcome outcome,
                  const char *text);

/* The bench cannot be used any more: end what is active, then all. */
void hearing_lose(struct bench *b, const char *text);

#endif
