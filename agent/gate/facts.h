/* Facts of the machine that make figures of two labs comparable, collected
 * once from /proc and /sys; what cannot be read is left out. */
#ifndef PITWALL_AGENT_GATE_FACTS_H
#define PITWALL_AGENT_GATE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#define FACTS_TEXT_BYTES 16384

struct facts {
    uint32_t cpus; /* at least 1 */
    uint64_t memory_bytes;
    char text[FACTS_TEXT_BYTES + 1]; /* "name=value" lines */
    size_t len;
};

/* Collect from the tree at root ("" is the machine itself; tests give a
 * folder). Never fails: a bare tree gives cpus 1 and an empty text. */
void facts_collect(struct facts *facts, const char *root);

/* Append one line; control characters of value become blanks, blanks at its
 * ends go, a value of more than 1000 bytes is cut. Nothing for an empty value
 * or when the text is full. */
void facts_add(struct facts *facts, const char *name, const char *value);

/* The same of each of several "name=value" lines. */
void facts_add_lines(struct facts *facts, const char *lines);

#endif
