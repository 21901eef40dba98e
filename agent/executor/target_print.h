/* A definition as text again, for its hash and for who wants to see it. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_PRINT_H
#define PITWALL_AGENT_EXECUTOR_TARGET_PRINT_H

#include "agent/executor/line.h"
#include "agent/executor/target.h"

/* Print v (of texts, whole numbers, true and false) as a member of j. */
void target_print(struct line_json *j, const char *key, const struct jv *v);

#endif
