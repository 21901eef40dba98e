/* What a chunk of a flight recording says about its own types: which class has
 * which fields, so that values can be read, or passed over. Pure. */
#ifndef PITWALL_AGENT_WATCH_JFR_TYPE_H
#define PITWALL_AGENT_WATCH_JFR_TYPE_H

#include "agent/watch/jfr_bytes.h"
#include "common/err.h"

/* The fields that anybody here asks for, by their names in the recording. */
#define JFR_SLOTS(X)                                                           \
    X(START, "startTime")                                                      \
    X(DURATION, "duration")                                                    \
    X(THREAD, "eventThread")                                                   \
    X(TLAB_SIZE, "tlabSize")                                                   \
    X(ALLOCATION_SIZE, "allocationSize")                                       \
    X(NAME, "name")                                                            \
    X(PAUSES, "sumOfPauses")                                                   \
    X(LONGEST, "longestPause")                                                 \
    X(LEVEL, "compileLevel")                                                   \
    X(JAVA_NAME, "javaName")

enum jfr_slot {
#define X(name, text) JFR_SLOT_##name,
    JFR_SLOTS(X)
#undef X
        JFR_SLOTS_ALL
};

/* A value read: numbers and references as numbers, texts as bytes. */
struct jfr_values {
    uint64_t number[JFR_SLOTS_ALL]; /* 0: not there */
    const char *text[JFR_SLOTS_ALL];
    size_t len[JFR_SLOTS_ALL];
};

struct jfr_types; /* borrows the metadata that it was made of */
struct jfr_class;

/* Read a chunk's metadata event, its bytes from after its own size and type.
 * Owns: *out, for jfr_types_free.
 * Errors  ERR_CORRUPT: it contradicts itself or has more than is sane. */
CHECKED enum err jfr_types_read(struct jfr_types **out, const uint8_t *data,
                                size_t len, struct why *why);
void jfr_types_free(struct jfr_types *types);

/* A class by its name, or by the number under which events and pools have it;
 * as long as types. NULL: there is none. */
const struct jfr_class *jfr_types_named(const struct jfr_types *types,
                                        const char *name);
const struct jfr_class *jfr_types_numbered(const struct jfr_types *types,
                                           uint64_t id);
uint64_t jfr_class_id(const struct jfr_class *class);

/* Read one value of a class: its fields' numbers and texts. */
void jfr_types_value(const struct jfr_types *types,
                     const struct jfr_class *class, struct jfr_bytes *bytes,
                     struct jfr_values *out);

#endif
