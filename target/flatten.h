/* A document's JSON becomes the text that is indexed: each value behind a mark
 * that names its field, so that one column of the full-text index serves any
 * number of fields.
 *
 *   {"name":"Sao Paulo","pop":12}  ->  \1 00Sao Paulo \2 0112
 *
 * The mark's first byte says how the value is cut (words, or one term), two
 * more are the field's number in base 64 from '0'. A value has no byte below
 * 0x20: escaped ones become blanks. Pure but for fields that it adds. */
#ifndef PITWALL_TARGET_FLATTEN_H
#define PITWALL_TARGET_FLATTEN_H

#include "target/fields.h"

#define FLATTEN_WORDS    1
#define FLATTEN_EXACT    2
#define FLATTEN_MARK     3u   /* bytes */
#define FLATTEN_TERM_MAX 256u /* bytes of an exact value; longer: left out */

/* Bytes that the text of a document of len bytes may have. */
#define FLATTEN_ROOM(len) (4 * (len) + 16)

/* Write the field's mark. */
void flatten_mark(char to[FLATTEN_MARK], char how, const struct field *field);

/* Flatten a valid document into to (FLATTEN_ROOM(len) bytes); *n its length.
 * ERR_INVALID: the mapping is strict and does not know a field; ERR_RANGE: too
 * many fields, or a path too long; and as fields_add. */
CHECKED enum err flatten(struct fields *fields, const char *json, size_t len,
                         char *to, size_t *n, struct why *why);

/* Decode the inside of a valid JSON string into to (as many bytes at most);
 * its length. */
size_t flatten_unescape(const char *text, size_t len, char *to);

#endif
