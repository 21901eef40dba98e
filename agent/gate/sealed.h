/* Bytes as a file that nobody can change any more: how a plan travels from the
 * gate through the executor to load. */
#ifndef PITWALL_AGENT_GATE_SEALED_H
#define PITWALL_AGENT_GATE_SEALED_H

#include <stddef.h>

#include "common/err.h"

/* A memfd with data[0..len), its offset at 0, sealed against writing, growing,
 * shrinking and further seals. Owns: *fd is the caller's (close-on-exec), -1
 * on failure. */
CHECKED enum err sealed_make(const void *data, size_t len, int *fd,
                             struct why *why);

#endif
