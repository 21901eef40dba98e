/* A condition on an answer, as Rally's index-stats has it: at a path of its
 * JSON a value must stand. */
#ifndef PITWALL_LOAD_CONDITION_H
#define PITWALL_LOAD_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "tracks/plan.h"

/* Whether the answer (len bytes) has what request wants; without a condition
 * it always does. If not, says why in text, size bytes: another value, none,
 * no JSON. */
bool condition_holds(const struct plan_request *request, const char *answer,
                     size_t len, char *text, size_t size);

#endif
