/* Running text that a full-text index can be fed with: words whose frequencies
 * follow Zipf's law, sentences, and a little of what is not plain ASCII. */
#ifndef PITWALL_TRACKS_PROSE_H
#define PITWALL_TRACKS_PROSE_H

#include "tracks/draw.h"

#define PROSE_WORD_MAX 16    /* bytes of the longest word */
#define PROSE_WORDS    65535 /* different ones */

/* Write exactly `bytes` bytes of text, escaped to stand in a JSON string. */
void prose_fill(struct rand *r, struct draw_out *o, size_t bytes);

/* The word of rank (0: the most frequent, below PROSE_WORDS) into buf of
 * PROSE_WORD_MAX bytes, without an end; returns its length. */
size_t prose_word(char *buf, unsigned rank);

/* A rank, as often as Zipf's law with exponent 1 says: an octave of ranks is
 * as likely as any other, and within it each rank as any other. */
unsigned prose_rank(struct rand *r);

#endif
