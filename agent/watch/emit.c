#include "agent/watch/emit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void emit_init(struct emit *emit, const char *side, int fd, uint8_t *ring,
               size_t size)
{
    *emit = (struct emit){.side = side};
    child_pipe_init(&emit->pipe, fd, ring, size);
}

void emit_fini(struct emit *emit)
{
    wire_buf_free(&emit->record);
}

void emit_record(struct emit *emit, enum record_kind kind, const void *in)
{
    emit->record.len = 0;
    if (record_encode(kind, in, &emit->record, NULL))
        emit->failed++;
    else /* a drop is counted by the pipe */
        (void)child_pipe_put(&emit->pipe, emit->record.data, emit->record.len);
}

void emit_side(const struct emit *emit, char side[9])
{
    (void)snprintf(side, 9, "%s", emit->side);
}

void emit_fact(struct emit *emit, const char *name, const char *value)
{
    struct record_fact fact = {0};
    assert(strlen(name) < sizeof fact.name);
    emit_side(emit, fact.side);
    (void)snprintf(fact.name, sizeof fact.name, "%s", name);
    (void)snprintf(fact.value, sizeof fact.value, "%s", value);
    emit_record(emit, RECORD_IS_fact, &fact);
}

void emit_count(struct emit *emit, const char *name, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    emit_fact(emit, name, text);
}
