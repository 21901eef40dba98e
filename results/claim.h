/* Holding a published difference against one that was measured here. Pure. */
#ifndef PITWALL_RESULTS_CLAIM_H
#define PITWALL_RESULTS_CLAIM_H

#include <stddef.h>

/* A published ratio so near to 1 says "the same": single runs have no interval
 * that could tell more. */
#define CLAIM_SAME 0.05

/* Ours: ratios of the contender to the base; NAN where there is none. */
struct claim_ours {
    double ratio, low, high; /* the interval's ends */
};

enum claim_word { CLAIM_YES, CLAIM_NO, CLAIM_UNSETTLED };

/* Whether ours goes where the published ratio goes: beyond 1 on its side with
 * the whole interval, or for "the same" within CLAIM_SAME of 1 with all of
 * it; UNSETTLED where the interval allows both, or there is none. */
enum claim_word claim_direction(double published,
                                const struct claim_ours *ours);

/* Whether our interval holds the published ratio. */
enum claim_word claim_size(double published, const struct claim_ours *ours);

/* "yes", "no", "not settled". */
const char *claim_show(enum claim_word word);

/* "x27.3", "x0.404"; "-" for what is not finite. Into buf, which is returned.
 */
const char *claim_show_ratio(double ratio, char *buf, size_t size);

#endif
