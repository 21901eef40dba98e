/* How large the next receive buffer is: Netty's receive-buffer allocators
 * (target-memory.md section a). Pure: a value per connection that is told what
 * each read brought.
 *
 *   begin -> ( guess -> read -> told -> more? )* -> end      per wake-up */
#ifndef PITWALL_TARGET_PREDICTOR_H
#define PITWALL_TARGET_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define PREDICTOR_BYTES_MAX (1u << 30)

enum predictor_rules { PREDICTOR_4_1_7, PREDICTOR_4_1_48 };

/* What the operator asked for. */
struct predictor_spec {
    bool adaptive;
    uint32_t min, initial, max; /* bytes; fixed: all three the same */
    enum predictor_rules rules;
    uint32_t reads_per_wakeup; /* Netty's maxMessagesPerRead */
};

/* One connection's state. */
struct predictor {
    const struct predictor_spec *spec;
    uint32_t next; /* bytes */
    int index, index_min, index_max;
    bool decrease_now;
    /* of the wake-up */
    uint32_t reads, last, attempted;
    uint64_t total;
};

/* Parse "fixed:64k", "adaptive:1k-512k" (initial = min, as Elasticsearch sets
 * it) or "adaptive:1k-2k-512k" into spec's sizes; rules and reads stay.
 * ERR_USAGE naming the text and what is accepted. */
CHECKED enum err predictor_parse(const char *text, struct predictor_spec *spec,
                                 struct why *why);

/* Print spec as it is parsed; 64 bytes are enough. Returns buf. */
const char *predictor_show(const struct predictor_spec *spec, char *buf,
                           size_t size);

/* A new connection. spec is borrowed for the predictor's life. */
void predictor_init(struct predictor *p, const struct predictor_spec *spec);

/* A wake-up begins. */
void predictor_begin(struct predictor *p);

/* Bytes of the next buffer; what the next predictor_told is measured by. */
uint32_t predictor_guess(struct predictor *p);

/* The read into that buffer brought n bytes, 0 when it brought none. */
void predictor_told(struct predictor *p, uint32_t n);

/* Whether to read again in this wake-up: the buffer was filled and the reads
 * allowed are not used up. */
bool predictor_more(const struct predictor *p);

/* The wake-up ends. */
void predictor_end(struct predictor *p);

#endif
