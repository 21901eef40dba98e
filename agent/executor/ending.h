/* How an attempt ends: causes and the three phases of stopping. Used by
 * attempt.c alone; pure as it is. */
#ifndef PITWALL_AGENT_EXECUTOR_ENDING_H
#define PITWALL_AGENT_EXECUTOR_ENDING_H

#include "agent/executor/attempt.h"

/* Append an action; the returned one may be completed. */
struct attempt_action *ending_act(struct attempt_actions *out,
                                  enum action_kind kind, enum part part);
void ending_tell(struct attempt_actions *out, enum part part,
                 enum child_kind kind, uint64_t t_ns);

/* Keep the most certain cause, of part (PARTS: of none in particular). An
 * abort counts only when nothing has failed, and then nothing replaces it. */
void ending_blame(struct attempt *a, enum cause cause, enum part part,
                  const char *fmt, ...) PRINTF_LIKE(4, 5);
enum cause ending_cause(enum part part);

/* Begin to stop, unless it has begun. */
void ending_begin(struct attempt *a, uint64_t now_ns,
                  struct attempt_actions *out);

/* Leave every phase whose parts are gone; left: this one even if they are
 * not. */
void ending_advance(struct attempt *a, uint64_t now_ns, bool left,
                    struct attempt_actions *out);

/* The phase's deadline has passed: kill its parts, then leave it. */
void ending_late(struct attempt *a, uint64_t now_ns,
                 struct attempt_actions *out);

/* Seal without more ado. */
void ending_seal(struct attempt *a, struct attempt_actions *out);

#endif
