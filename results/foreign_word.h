/* What others call their figures, and what these are called here. Pure. */
#ifndef PITWALL_RESULTS_FOREIGN_WORD_H
#define PITWALL_RESULTS_FOREIGN_WORD_H

#include <stddef.h>

/* Our name of a row of Rally's summary ("50th percentile service time") into
 * buf, returned; of another one its own letters and digits in lower case with _
 * between them. 65 bytes are enough. */
const char *foreign_word_row(const char *label, char *buf, size_t size);

/* Our name of a figure with this unit and no other name, NULL: none. */
const char *foreign_word_unit(const char *unit);

/* What a column of a published table is. A FACTOR's text becomes the level:
 * pattern with %s for it. A LEVEL is a column of values at one level, pattern,
 * of a factor. */
enum foreign_role {
    FOREIGN_FACTOR,
    FOREIGN_LEVEL,
    FOREIGN_METRIC, /* pattern: the unit of values without one */
    FOREIGN_NAME,   /* of the row's metric */
    FOREIGN_UNIT,
    FOREIGN_VALUE,
    FOREIGN_OOM, /* 1: out of memory */
    FOREIGN_BLOCK
};

struct foreign_column {
    const char *name; /* in the table */
    enum foreign_role role;
    const char *to; /* factor or metric here */
    const char *pattern;
};

/* A known column by name, NULL: none; number i, NULL past the last. */
const struct foreign_column *foreign_word_column(const char *name);
const struct foreign_column *foreign_word_column_at(size_t i);

#endif
