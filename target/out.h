/* JSON written into memory that was there before: statistics, answers and the
 * final record, which must be writable when memory is gone. Commas are placed
 * by the writer; what does not fit is dropped and remembered. */
#ifndef PITWALL_TARGET_OUT_H
#define PITWALL_TARGET_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out {
    char *buf;
    size_t size, len;
    bool cut;   /* something did not fit */
    bool comma; /* before the next member or element */
};

/* Write into buf of size bytes, which outlives the value. */
struct out out_to(char *buf, size_t size);

/* Bytes as they are, no comma. */
void out_raw(struct out *o, const char *text, size_t len);

/* Begin an object '{' or array '[' as a member (key) or element (NULL), and
 * end it. */
void out_open(struct out *o, const char *key, char bracket);
void out_close(struct out *o, char bracket);

/* One member or element. Keys are written as they are, texts are escaped;
 * bytes of a text that are not UTF-8 become '?'. */
void out_u64(struct out *o, const char *key, uint64_t value);
void out_bool(struct out *o, const char *key, bool value);
void out_text(struct out *o, const char *key, const char *text);

/* Only the inside of a JSON string, escaped likewise. */
void out_escaped(struct out *o, const char *text, size_t len);

#endif
