/* Reading a bulk's answer as it comes, only as far as needed: who says
 * `"errors": false` near the beginning is believed and the rest is passed
 * over; otherwise the items' statuses are counted. Keeps no text, so it can be
 * cut anywhere and allocates nothing. */
#ifndef PITWALL_LOAD_BULK_ANSWER_H
#define PITWALL_LOAD_BULK_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BULK_ANSWER_TYPE_MAX 63

struct bulk_answer {
    uint32_t ok, failed;   /* items by status: below 300, or not */
    unsigned first_failed; /* the first such status; 0: none */
    char type[BULK_ANSWER_TYPE_MAX + 1]; /* the first error's type */
    bool errors, clean;                  /* "errors": true, false was there */
    /* The reader's state. */
    bool in_string, escaped, in_items, counted, in_number, in_type;
    int key; /* of the value that comes next */
    uint32_t depth;
    unsigned number;
    size_t word_len, type_len;
    char word[8]; /* the last string's beginning */
};

/* A new answer begins. */
void bulk_answer_begin(struct bulk_answer *a);

/* Its next len bytes. */
void bulk_answer_feed(struct bulk_answer *a, const char *data, size_t len);

/* Does the answer speak of documents at all: by items, or by "errors"? */
bool bulk_answer_counts(const struct bulk_answer *a);

/* Of docs documents sent, how many were taken; the others were refused. An
 * answer that lists no items and speaks of no errors took them all, as Rally
 * has it (a target that answers 2xx and no more). */
uint32_t bulk_answer_taken(const struct bulk_answer *a, uint32_t docs);

#endif
