/* The tree behind json.h, shared by json.c (which reads and prints it through
 * jansson) and jv.c (which walks and builds it); for no one else. */
#ifndef PITWALL_COMMON_JV_H
#define PITWALL_COMMON_JV_H

#include "common/json.h"

enum number { NUMBER_REAL, NUMBER_U64, NUMBER_I64 /* below 0 only */ };

struct jv {
    enum jv_type type;
    enum number number;
    unsigned line; /* from 1; 0: built */
    struct jv *parent;
    char *key;  /* of members, owned */
    char *name; /* of a parsed root: its file, owned */
    union {
        bool boolean;
        double real;
        uint64_t u64;
        int64_t i64;
        char *text; /* owned */
    } as;
    struct jv **child; /* [n] */
    size_t n, cap;
};

/* A value as the last child of parent (NULL: a root). NULL without memory.
 * Owns    the parent, or the caller of a root, for jv_free. */
struct jv *jv_node(struct jv *parent, enum jv_type type);

#endif
