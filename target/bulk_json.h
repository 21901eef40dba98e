/* A strict one-pass JSON validator (RFC 8259) for documents of a bulk body:
 * UTF-8 and \u escapes checked, depth limited, nothing extracted, nothing
 * allocated. */
#ifndef PITWALL_TARGET_BULK_JSON_H
#define PITWALL_TARGET_BULK_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BULK_JSON_DEPTH_MAX 256u

enum bulk_json {
    BULK_JSON_OK,
    BULK_JSON_EMPTY,    /* nothing but blanks */
    BULK_JSON_SYNTAX,   /* a character that cannot stand there */
    BULK_JSON_END,      /* the text ends too early */
    BULK_JSON_UTF8,     /* a string that is not UTF-8 */
    BULK_JSON_ESCAPE,   /* an unknown escape or a lone surrogate */
    BULK_JSON_CONTROL,  /* a control character inside a string */
    BULK_JSON_NUMBER,   /* a malformed number */
    BULK_JSON_DEPTH,    /* too many levels */
    BULK_JSON_TRAILING, /* something after the value */
    BULK_JSON_NO_OBJECT /* a valid value, but no object */
};

/* A text [p, end) being read; bytes up to safe >= end may be loaded (not
 * used). */
struct bulk_cursor {
    const uint8_t *p, *end, *safe;
};

/* Whether the cursor's text is one JSON object. The cursor stops where the
 * fault is. */
enum bulk_json bulk_json_document(struct bulk_cursor *c);

/* Pass over blanks. */
void bulk_json_blanks(struct bulk_cursor *c);

/* Pass over a string; the cursor stands behind its opening quote and ends
 * behind the closing one. */
enum bulk_json bulk_json_string(struct bulk_cursor *c);

/* Pass over any value. */
enum bulk_json bulk_json_value(struct bulk_cursor *c);

/* What is wrong, in words: "unexpected character"; never NULL. */
const char *bulk_json_text(enum bulk_json fault);

#endif
