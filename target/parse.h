/* What parsing a document leaves on a JVM's heap: the reference server's parse
 * threads copy every line of a body and make short strings of it, a stand-in
 * for a document mapper's work (jvm-reference: phases D and K). */
#ifndef PITWALL_TARGET_PARSE_H
#define PITWALL_TARGET_PARSE_H

#include "target/heap/heap.h"

/* The small garbage of a line of that many bytes, whose copy is made apart: a
 * list, its growing array, and a string of 16 characters for every 64 * work
 * bytes. work is not 0. False: out of memory. Every pointer of m dies. */
CHECKED bool parse_garbage(struct mutator *m, size_t bytes, uint32_t work);

#endif
