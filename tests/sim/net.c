#include "tests/sim/net.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"

struct packet *net_packet(const void *bytes, size_t len)
{
    struct packet *p = calloc(1, sizeof *p);
    assert(p);
    p->bytes = malloc(len + 1);
    assert(p->bytes);
    if (len)
        memcpy(p->bytes, bytes, len);
    p->len = len;
    return p;
}

void net_drop(struct packet *p)
{
    if (p)
        free(p->bytes);
    free(p);
}

static struct packet *copy_of(const struct packet *p)
{
    struct packet *c = net_packet(p->bytes, p->len);
    uint8_t *bytes = c->bytes;
    *c = *p;
    c->bytes = bytes;
    return c;
}

/* A tenth of a millisecond to two; sometimes up to half a minute. */
static uint64_t way_ns(struct sim *sim)
{
    if (!sim->calm && sim_happens(sim, sim->slow))
        return sim_between(sim, NS_PER_MS, 30 * NS_PER_S);
    return sim_between(sim, NS_PER_MS / 10, 2 * NS_PER_MS);
}

static void carry(struct sim *sim, enum event_what what, unsigned site,
                  struct packet *p)
{
    bool request = what == SIM_REQUEST;
    uint64_t cut = request ? sim->cut_to_ns[site] : sim->cut_from_ns[site];
    bool lost =
        sim->now_ns < cut || (!sim->calm && sim_happens(sim, sim->lose));
    if (!lost && !sim->calm && sim_happens(sim, sim->copy))
        sim_later(sim, way_ns(sim), what, site)->packet = copy_of(p);
    if (lost) {
        sim_say(sim, "net: lost %s site=%u seq=%llu",
                request ? "request" : "answer", site,
                (unsigned long long)p->seq);
        net_drop(p);
        return;
    }
    sim_later(sim, way_ns(sim), what, site)->packet = p;
}

void net_request(struct sim *sim, unsigned site, struct packet *p)
{
    carry(sim, SIM_REQUEST, site, p);
}

void net_answer(struct sim *sim, unsigned site, struct packet *p)
{
    if (p->stranger)
        net_drop(p);
    else
        carry(sim, SIM_ANSWER, site, p);
}
