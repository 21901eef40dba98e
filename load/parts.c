#include "load/parts.h"

#include <assert.h>

void parts_begin(struct parts *p)
{
    p->next = 0;
    p->n_busy = 0;
    p->requests = 0;
    p->sum = (struct engine_answer){.outcome = ENGINE_ANSWERED, .status = 200};
}

const struct body *parts_start(struct parts *p, uint32_t conn)
{
    const struct work *w = p->work;
    if (p->next == w->n_streams)
        return NULL;
    p->conns[conn] =
        (struct parts_conn){w->streams[p->next], w->streams[p->next + 1]};
    p->next++;
    p->n_busy++;
    return parts_body(p, conn);
}

const struct body *parts_body(const struct parts *p, uint32_t conn)
{
    assert(p->conns[conn].at < p->conns[conn].end);
    return &p->bodies[p->conns[conn].at];
}

static void add(struct parts *p, const struct engine_answer *a, bool good)
{
    struct engine_answer *sum = &p->sum;
    bool sent = a->outcome != ENGINE_UNSENT;
    if (sent && (!p->requests || a->sent_ns < sum->sent_ns))
        sum->sent_ns = a->sent_ns;
    p->requests += sent;
    if (a->done_ns > sum->done_ns)
        sum->done_ns = a->done_ns;
    sum->sent_bytes += a->sent_bytes;
    sum->received_bytes += a->received_bytes;
    if (!good &&
        (sum->outcome == ENGINE_ANSWERED || a->outcome == ENGINE_LOST)) {
        sum->outcome = a->outcome;
        sum->status = a->status;
        sum->text = a->text;
        sum->given_up = a->given_up;
    }
}

const struct body *parts_answer(struct parts *p, uint32_t conn,
                                const struct engine_answer *a, bool good)
{
    add(p, a, good);
    if (!good)
        p->next = p->work->n_streams;
    else if (++p->conns[conn].at < p->conns[conn].end)
        return parts_body(p, conn);
    p->n_busy--;
    return parts_start(p, conn);
}
