/* A search of several pages under way, as one operation: the search, then each
 * next page by the id that the answer before told, then the end of the scroll.
 * Its time goes from the first request to the last answer. Pure.
 *
 * It ends, as Rally's does, with the last page that was asked for, with one
 * that has no hits, with the first when there are fewer hits than it may hold,
 * or when a request fails. The end of the scroll may fail. */
#ifndef PITWALL_LOAD_SCROLL_H
#define PITWALL_LOAD_SCROLL_H

#include "load/engine.h"
#include "load/scroll_answer.h"
#include "load/work.h"

struct scroll {
    const struct plan_request *plan;
    struct scroll_answer answer;
    struct engine_request request; /* the next one */
    char *memory;                  /* [size]: its head and body */
    size_t size;
    const char *lines; /* [lines_len] the first one's headers */
    size_t lines_len;
    uint32_t pages;      /* answered */
    uint32_t requests;   /* answered or failed */
    uint64_t head_bytes; /* of the requests */
    bool ends;           /* the last request is under way */
    struct engine_answer sum;
};

/* For a search's request (both borrowed). NULL: no memory. scroll_free accepts
 * NULL. */
struct scroll *scroll_new(const struct plan_request *plan,
                          const struct engine_request *first);
void scroll_free(struct scroll *s);

/* Begin the operation anew with its first request. */
void scroll_begin(struct scroll *s, const struct engine_request *first);

/* A request ended, well or not; returns what follows, valid until its own
 * answer, or NULL: the operation is over and sum is its answer. */
const struct engine_request *
scroll_next(struct scroll *s, const struct engine_answer *a, bool good);

#endif
