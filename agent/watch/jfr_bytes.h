/* A cursor over a flight recording's bytes: numbers of varying length, texts.
 * Beyond the end, or at what cannot be, it turns bad and gives zeros. */
#ifndef PITWALL_AGENT_WATCH_JFR_BYTES_H
#define PITWALL_AGENT_WATCH_JFR_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_bytes {
    const uint8_t *at, *end;
    bool bad;
};

/* Take the next number: 7 bits to a byte, the lowest first, at most 9 bytes, of
 * which the last has 8. */
uint64_t jfr_bytes_number(struct jfr_bytes *b);

/* Take a byte; pass over n. */
uint8_t jfr_bytes_u8(struct jfr_bytes *b);
void jfr_bytes_skip(struct jfr_bytes *b, uint64_t n);

/* Take a text and give its bytes, which point into the recording; empty where
 * it is none, lies elsewhere, or has characters beyond ASCII as numbers. */
const char *jfr_bytes_text(struct jfr_bytes *b, size_t *len);

#endif
