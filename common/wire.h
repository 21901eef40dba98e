/* Messages and records as msgpack maps, derived from one field list each.
 *
 * A list is an X-macro of F(TYPE, name, max, NEED):
 *
 *   #define MSG_PING(F) F(U64, sent_ns, 0, REQ) F(STR, note, 64, OPT)
 *   struct msg_ping { WIRE_FIELDS(MSG_PING) };
 *
 * TYPE  U32 U64 I64 F64 STR BLOB; max: largest number for U32/U64 (0 = no
 *       bound), longest text or blob in bytes for STR/BLOB.
 * NEED  REQ must be there; OPT absent = 0 / empty; KEY as REQ, and part of the
 *       primary key of the table that stores the record.
 *
 * On the wire: a map with string keys, unknown keys skipped, duplicate keys,
 * wrong types, floats for whole numbers, NaN and infinity, texts with NUL,
 * control characters other than \n and \t or bad UTF-8, extension types,
 * trailing bytes, more than 8 levels or 4096 nodes: ERR_PROTOCOL naming the
 * key. The reader claims no memory that the input's length does not cover. */
#ifndef PITWALL_COMMON_WIRE_H
#define PITWALL_COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

enum wire_type { WIRE_U32, WIRE_U64, WIRE_I64, WIRE_F64, WIRE_STR, WIRE_BLOB };

enum wire_need { WIRE_OPT, WIRE_REQ, WIRE_KEY };

/* Bytes borrowed from whatever was decoded or is to be encoded. */
struct wire_blob {
    const uint8_t *data;
    size_t len;
};

struct wire_field {
    const char *name;
    enum wire_type type;
    enum wire_need need;
    uint64_t max;
    size_t offset;
};

#define WIRE_C_U32(name, max)  uint32_t name;
#define WIRE_C_U64(name, max)  uint64_t name;
#define WIRE_C_I64(name, max)  int64_t name;
#define WIRE_C_F64(name, max)  double name;
#define WIRE_C_STR(name, max)  char name[(max) + 1];
#define WIRE_C_BLOB(name, max) struct wire_blob name;

#define WIRE_FIELD(type, name, max, need) WIRE_C_##type(name, max)
#define WIRE_FIELDS(LIST)                 LIST(WIRE_FIELD)

/* Rows of a table; the struct they belong to stands in a typedef wire_this of
 * the enclosing block or function, since a list cannot carry its name:
 *
 *   const struct wire_field *ping_fields(size_t *n) {
 *       typedef struct msg_ping wire_this;
 *       static const struct wire_field rows[] = {WIRE_ROWS(MSG_PING)};
 *       ... */
#define WIRE_ROW(type, name, max, need)                                        \
    {#name, WIRE_##type, WIRE_##need, max, offsetof(wire_this, name)},
#define WIRE_ROWS(LIST) LIST(WIRE_ROW)

/* A growing output buffer; start with {0}, end with wire_buf_free. */
struct wire_buf {
    uint8_t *data;
    size_t len, cap;
};

/* Give the memory back and start anew: all zero. NULL is fine. */
void wire_buf_free(struct wire_buf *buf);

/* Append in (the struct of fields [n_fields]) to out as one map. OPT fields
 * that are zero or empty are left out. Bytes of a STR that a reader would
 * refuse (common/text.h) become '?': a foreign text costs no record. A STR
 * without end, a BLOB or a number beyond its max, NaN, infinity: ERR_RANGE;
 * ERR_NOMEM. On failure out holds what it held. */
CHECKED enum err wire_encode(const struct wire_field *fields, size_t n_fields,
                             const void *in, struct wire_buf *out,
                             struct why *why);

/* A pair that goes before the fields: the word that tells a map's kind. */
struct wire_word {
    const char *key, *text;
};

/* As wire_encode, with word (may be NULL) as the map's first pair. */
CHECKED enum err wire_encode_with(const struct wire_word *word,
                                  const struct wire_field *fields,
                                  size_t n_fields, const void *in,
                                  struct wire_buf *out, struct why *why);

/* Decode exactly one map of len bytes into out (its fields are zeroed first,
 * and again on failure). BLOBs point into data and live as long as it does.
 * F64 takes whole numbers too. Errors: ERR_PROTOCOL, see above. */
CHECKED enum err wire_decode(const struct wire_field *fields, size_t n_fields,
                             const void *data, size_t len, void *out,
                             struct why *why);

/* The text under key where that is a map's first pair, into *text, which points
 * into data; false otherwise. The rest is not looked at. */
bool wire_first(const void *data, size_t len, const char *key,
                struct wire_blob *text);

/* Bytes of the struct that the table describes as one line per field, for the
 * docs ("name type max need"); into a malloc'ed text, the caller's to free;
 * NULL without memory. */
char *wire_describe(const struct wire_field *fields, size_t n_fields);

#endif
