/* The log format of HdrHistogram (version 1.3): what its tools and plotters
 * read. Our histograms have the buckets of one of three significant digits
 * from 1, so nothing is lost on the way. Owner of zlib. */
#ifndef PITWALL_COMMON_HDR_H
#define PITWALL_COMMON_HDR_H

#include <stdio.h>

#include "common/hist.h"

/* A histogram as the log has it: "V2 compressed", base64. ERR_NOMEM.
 * Owns: *text is the caller's to free. */
CHECKED enum err hdr_encode(const struct hist *h, char **text, struct why *why);

/* What a line of the log is of: its tag is "NAME.KIND", in which blanks and
 * commas of name become underscores. */
struct hdr_interval {
    const char *name, *kind;
    double begin_s, length_s; /* from the base time */
};

/* The lines before the first interval: program wrote it, base_s is its base
 * time since the epoch. */
void hdr_head(FILE *to, const char *program, double base_s);

/* One interval, values in ns, the largest in ms, as is the custom. Errors of
 * writing stay in to. ERR_NOMEM. */
CHECKED enum err hdr_line(FILE *to, const struct hdr_interval *interval,
                          const struct hist *h, struct why *why);

#endif
