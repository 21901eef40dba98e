/* Full text, tens of kilobytes a document: sizes of the pmc corpus. */
#ifndef PITWALL_TRACKS_PMC_H
#define PITWALL_TRACKS_PMC_H

#include <stddef.h>
#include <stdint.h>

#define PMC_BYTES_MIN 600u
#define PMC_BYTES_MAX 500000u

/* The length of document i of seed, without making it: in bytes, without its
 * newline. */
size_t pmc_bytes(uint64_t seed, uint64_t i);

#endif
