/* Texts of a target's definition, and complaints about them that name their
 * place. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_TEXT_H
#define PITWALL_AGENT_EXECUTOR_TARGET_TEXT_H

#include <stdbool.h>

#include "common/json.h"

#define TARGET_TEXT_LETTERS                                                    \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* ERR_INVALID: where v stands, and what is accepted there. */
enum err target_text_refuse(const struct jv *v, const char *accepted,
                            struct why *why);

/* Put v's place before the complaint e of a text's own reader, which becomes
 * ERR_INVALID (ERR_NOMEM stays). */
enum err target_text_place(const struct jv *v, enum err e, struct why *why);

/* Whether text is a name of at most max letters, digits, _, - and dots. */
bool target_text_plain(const char *text, size_t max);

/* Copy a member that must be a text of 1 to size-1 bytes; absent (NULL): to is
 * left alone. ERR_INVALID. */
CHECKED enum err target_text_copy(const struct jv *v, const char *accepted,
                                  char *to, size_t size, struct why *why);

/* The same of a path of a URL, which begins with / and has no blanks. */
CHECKED enum err target_text_path(const struct jv *v, char *to, size_t size,
                                  struct why *why);

#endif
