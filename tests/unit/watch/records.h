/* Reads back what a watch wrote to its data pipe. */
#ifndef PITWALL_TESTS_UNIT_WATCH_RECORDS_H
#define PITWALL_TESTS_UNIT_WATCH_RECORDS_H

#include "common/record.h"

#define RECORDS_MAX 512

struct records {
    size_t n;
    struct record all[RECORDS_MAX];
};

/* Read fd until it is empty or at its end, and decode; fails the test on
 * anything malformed. The caller frees. */
struct records *records_read(int fd);

/* The i-th record of this kind, or NULL. */
const struct record *records_at(const struct records *records,
                                enum record_kind kind, size_t i);
size_t records_count(const struct records *records, enum record_kind kind);

/* The fact's value, or NULL. */
const char *records_fact(const struct records *records, const char *name);

#endif
