/* What a read brought, on its way through the decoder. */
#ifndef PITWALL_TARGET_INPUT_H
#define PITWALL_TARGET_INPUT_H

#include "target/heap/heap.h"

/* An object of the heap, or native memory (ref 0), whose body is counted and
 * thrown away. */
struct input {
    heap_ref ref;
    const char *native;
    uint32_t len, pos;
    uint32_t capacity; /* of the object; 0: its len */
};

#endif
