#include "agent/gate/asked.h"

#include <assert.h>

static struct asked_entry *at(struct asked *asked, size_t i)
{
    return &asked->entries[(asked->first + i) % ASKED_MAX];
}

bool asked_full(const struct asked *asked)
{
    return asked->len == ASKED_MAX;
}

void asked_push(struct asked *asked, unsigned slot,
                const struct request *request, uint64_t due_ns)
{
    assert(!asked_full(asked));
    struct asked_entry *entry = at(asked, asked->len++);
    entry->slot = slot;
    entry->request = *request;
    entry->due_ns = due_ns;
    entry->given_up = false;
}

const struct asked_entry *asked_pop(struct asked *asked)
{
    if (!asked->len)
        return NULL;
    const struct asked_entry *entry = at(asked, 0);
    asked->first = (asked->first + 1) % ASKED_MAX;
    asked->len--;
    return entry;
}

const struct asked_entry *asked_give_up(struct asked *asked, uint64_t now_ns)
{
    for (size_t i = 0; i < asked->len; i++) {
        struct asked_entry *entry = at(asked, i);
        if (!entry->given_up && entry->due_ns <= now_ns) {
            entry->given_up = true;
            return entry;
        }
    }
    return NULL;
}

uint64_t asked_due_ns(const struct asked *asked)
{
    for (size_t i = 0; i < asked->len; i++) {
        const struct asked_entry *entry =
            &asked->entries[(asked->first + i) % ASKED_MAX];
        if (!entry->given_up)
            return entry->due_ns;
    }
    return UINT64_MAX;
}
