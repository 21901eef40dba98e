/* The final record: what the target leaves behind, as one JSON object. It is
 * written into memory reserved at the start, so that it can be written when
 * memory is gone. Keys never change their meaning; more may be added. */
#ifndef PITWALL_TARGET_FINAL_H
#define PITWALL_TARGET_FINAL_H

#include "target/census.h"
#include "target/gauge.h"
#include "target/out.h"
#include "target/settings.h"
#include "target/tally.h"

struct final;

/* Reserve, and touch, the memory. NULL: there is none. */
struct final *final_new(void);
void final_free(struct final *f);

/* What goes into it; all threads are gone. */
struct final_facts {
    bool oom;
    const struct gauge_window *window;
    struct tally *const *tallies; /* [n_tallies] */
    size_t n_tallies;
    const struct hist *hiccup_ns; /* NULL: not measured */
    const struct settings *settings;
    const struct census *census; /* of the indices; NULL: --index none */
};

/* Write the record; valid until final_free, len bytes with a line feed. */
const char *final_write(struct final *f, const struct final_facts *facts,
                        size_t *len);

#endif
