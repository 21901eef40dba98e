#include "load/deal.h"

/* What one slot takes. */
struct hand {
    const struct step *step;
    struct deal_client *out; /* NULL: only count */
    uint32_t n, conn, conns;
};

static void put(struct hand *h, uint32_t work, uint32_t client, bool begins)
{
    const struct work *w = &h->step->works[work];
    if (w->conns > h->conns)
        h->conns = w->conns;
    if (h->out)
        h->out[h->n] = (struct deal_client){
            .work = work,
            .client = client,
            .conn = h->conn,
            .begins = begins,
            .ends_task = (uint64_t)client + h->step->slots >= w->clients};
    h->n++;
}

static void fill(struct hand *h, uint32_t slot)
{
    const struct step *step = h->step;
    uint32_t from = h->n;
    h->conns = 0;
    for (uint32_t i = 0; i < step->n_works; i++) {
        const struct work *w = &step->works[i];
        uint64_t client =
            (slot + step->slots - w->slot % step->slots) % step->slots;
        for (; client < w->clients; client += step->slots)
            put(h, i, (uint32_t)client, h->n == from);
    }
    if (h->out && h->n > from)
        h->out[h->n - 1].ends = true;
    h->conn += h->conns;
}

uint32_t deal(const struct step *step, uint32_t thread, uint32_t n_threads,
              struct deal_client *out, uint32_t *n_conns)
{
    struct hand h = {.step = step, .out = out};
    uint32_t dealt = 0;
    for (uint32_t slot = 0; slot < step->slots; slot++)
        if (share_has(&step->share, slot) && dealt++ % n_threads == thread)
            fill(&h, slot);
    *n_conns = h.conn;
    return h.n;
}
