/* Reading a page of a scroll as it comes, only as far as needed: its
 * "_scroll_id", how many hits there are in all, and whether it has any. Keeps
 * nothing else, so it can be cut anywhere and allocates nothing. */
#ifndef PITWALL_LOAD_SCROLL_ANSWER_H
#define PITWALL_LOAD_SCROLL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCROLL_ID_MAX 8192u /* bytes, as they stand in the JSON */

enum scroll_key {
    SCROLL_KEY_NONE,
    SCROLL_KEY_ID,
    SCROLL_KEY_OUTER, /* "hits": {...} */
    SCROLL_KEY_TOTAL,
    SCROLL_KEY_LIST /* "hits": [...] within */
};

struct scroll_answer {
    char id[SCROLL_ID_MAX + 1]; /* "": none, or too long */
    size_t id_len;
    bool total_known, hits_known, any; /* any: the page has hits */
    uint64_t total;
    /* The reader's state. */
    bool in_string, escaped, takes_id, within, opened;
    uint32_t depth;
    enum scroll_key key; /* of the value that comes next */
    size_t word_len;
    char word[12]; /* the last string's beginning */
};

/* A new page begins: an id that it does not tell stays that of the last. */
void scroll_answer_begin(struct scroll_answer *a);

/* The next len bytes of it. */
void scroll_answer_feed(struct scroll_answer *a, const char *data, size_t len);

#endif
