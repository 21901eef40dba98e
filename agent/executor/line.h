/* Text of strangers (children, kernels, files) made fit for one line of a
 * status, a log or a JSON text, and JSON texts written without a heap. */
#ifndef PITWALL_AGENT_EXECUTOR_LINE_H
#define PITWALL_AGENT_EXECUTOR_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy from (NULL: "") as far as it fits, always terminated: line breaks and
 * tabs become spaces, what common/text.h refuses becomes '?'. */
void line_copy(char *to, size_t size, const char *from);

/* A bounded JSON text under construction over the caller's buffer. What does
 * not fit is left out and makes `over` true. */
struct line_json {
    char *buf;
    size_t size, len;
    bool over;
    bool comma; /* the next member needs one before it */
};

/* Begin an empty text in buf[size]. */
void line_json_init(struct line_json *j, char *buf, size_t size);

/* Open and close an object ('{') or array ('['); key is NULL inside arrays and
 * at the top. */
void line_json_open(struct line_json *j, const char *key, char bracket);
void line_json_close(struct line_json *j, char bracket);

/* Add a member (key NULL: an item): a text, cleaned as line_copy does, NULL
 * being ""; a number; true or false. */
void line_json_text(struct line_json *j, const char *key, const char *value);
void line_json_u64(struct line_json *j, const char *key, uint64_t value);
void line_json_bool(struct line_json *j, const char *key, bool value);

#endif
