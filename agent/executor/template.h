/* Texts with {{names}} in them, which become values: command lines, variables
 * and files of targets. No shell, no expressions. Pure. */
#ifndef PITWALL_AGENT_EXECUTOR_TEMPLATE_H
#define PITWALL_AGENT_EXECUTOR_TEMPLATE_H

#include <stddef.h>

#include "common/err.h"

#define TEMPLATE_NAME_MAX  80u
#define TEMPLATE_VALUE_MAX 4096u

/* Put the value of name into buf. ERR_NOTFOUND and others: whatever the
 * owner of the names says of it. */
typedef enum err template_value(void *ctx, const char *name,
                                char buf[TEMPLATE_VALUE_MAX], struct why *why);

/* Copy text into out[size], each {{name}} as value tells it; a name is of a-z,
 * 0-9, _ and dots. Nothing else is special.
 * Errors  ERR_INVALID: "{{" without a name and "}}"; ERR_RANGE: out is too
 *         small; value's. */
CHECKED enum err template_render(const char *text, template_value *value,
                                 void *ctx, char *out, size_t size,
                                 struct why *why);

#endif
