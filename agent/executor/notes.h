/* Facts gathered for a record: lines of name=value in a buffer of its own, so
 * that a helper in a cage can hand them back. */
#ifndef PITWALL_AGENT_EXECUTOR_NOTES_H
#define PITWALL_AGENT_EXECUTOR_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

#define NOTES_MAX      8192u
#define NOTE_NAME_MAX  64u   /* with its end, as a fact's */
#define NOTE_VALUE_MAX 1000u /* likewise; what is longer ends in "..." */

struct notes {
    size_t used;
    char text[NOTES_MAX];
};

/* Add one; control characters become spaces. What does not fit is left out. */
void notes_add(struct notes *notes, const char *name, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Append to a value under construction, buf[NOTE_VALUE_MAX], terminated, after
 * a space where something stands there. False: it is full, and says so. */
bool notes_word(char *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Step through them: *at is 0 at first. False: there is no further one. */
bool notes_next(const struct notes *notes, size_t *at, char name[NOTE_NAME_MAX],
                char value[NOTE_VALUE_MAX]);

#endif
