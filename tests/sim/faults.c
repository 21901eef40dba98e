/* What goes wrong, and when: chosen by the seed. */
#include <string.h>

#include "tests/sim/sim.h"

#define STRANGER "99999999-2222-3333-4444-555555555555"

void faults_plan(struct sim *sim)
{
    static const double lose[] = {0, 0, 0.01, 0.05, 0.2};
    static const double copy[] = {0, 0.02, 0.1};
    static const double slow[] = {0, 0, 0.005, 0.02};
    uint64_t span_ns = sim_between(sim, NS_PER_S, 60 * NS_PER_S);
    sim->lose = lose[rand_bounded(&sim->chance, 5)];
    sim->copy = copy[rand_bounded(&sim->chance, 3)];
    sim->slow = slow[rand_bounded(&sim->chance, 4)];
    for (uint64_t n = sim_between(sim, 0, 12); n; n--)
        sim_later(sim, sim_between(sim, 0, span_ns), SIM_FAULT, 0);
    sim_later(sim, span_ns, SIM_HEAL, 0);
}

/* Somebody else wants the agent for a while. */
static void come_between(struct sim *sim, unsigned site)
{
    struct wire_buf wire = {0};
    struct why why = {""};
    struct msg_acquire body = {
        .ttl_ns = sim_between(sim, NS_PER_S / 5, 4 * NS_PER_S)};
    const struct request request = {.op = MSG_ACQUIRE, .body = &body};
    memcpy(body.owner, STRANGER, sizeof STRANGER);
    if (request_encode(&request, &wire, &why))
        judge_blame(sim, "stranger: %s", why.text);
    struct packet *p = net_packet(wire.data, wire.len);
    p->stranger = true;
    wire_buf_free(&wire);
    net_request(sim, site, p);
}

/* A cut network: one way, the other, or both. */
static void cut(struct sim *sim, unsigned site)
{
    uint64_t until_ns =
        sim->now_ns + sim_between(sim, 100 * NS_PER_MS, 40 * NS_PER_S);
    uint64_t ways = sim_between(sim, 1, 3);
    sim_say(sim, "fault: site %u is cut off, ways=%llu", site,
            (unsigned long long)ways);
    if (ways & 1)
        sim->cut_to_ns[site] = until_ns;
    if (ways & 2)
        sim->cut_from_ns[site] = until_ns;
}

static void hit_agent(struct sim *sim, struct site *s)
{
    bool power = sim_happens(sim, 0.5);
    switch (rand_bounded(&sim->chance, 5)) {
    case 0:
        site_kill(s, power);
        break;
    case 1:
    case 2:
        sim_say(sim, "fault: site %u is to die", s->number);
        site_die_in(s, (unsigned)sim_between(sim, 1, 40), power);
        break;
    case 3:
        sim_say(sim, "fault: site %u stops", s->number);
        s->stopped_ns =
            sim->now_ns + sim_between(sim, 100 * NS_PER_MS, 40 * NS_PER_S);
        break;
    default:
        sim_say(sim, "fault: the disk of site %u is %s", s->number,
                s->disk.full ? "free again" : "full");
        s->disk.full = !s->disk.full;
        break;
    }
}

static void hit_controller(struct sim *sim)
{
    struct clerk *c = &sim->clerk;
    switch (rand_bounded(&sim->chance, 6)) {
    case 0:
        clerk_kill(c);
        break;
    case 1:
    case 2:
        sim_say(sim, "fault: the controller is to die");
        c->die_in = c->up ? (unsigned)sim_between(sim, 1, 100) : 0;
        break;
    case 3:
        sim_say(sim, "fault: the controller stops");
        c->stopped_ns =
            sim->now_ns + sim_between(sim, 100 * NS_PER_MS, 40 * NS_PER_S);
        break;
    case 4:
        sim_say(sim, "fault: Ctrl-C");
        clerk_interrupt(c);
        break;
    default:
        c->corrupts = true;
        break;
    }
}

void faults_happen(struct sim *sim)
{
    unsigned site = (unsigned)rand_bounded(&sim->chance, sim->n_sites);
    switch (rand_bounded(&sim->chance, 8)) {
    case 0:
    case 1:
    case 2:
        hit_agent(sim, &sim->sites[site]);
        break;
    case 3:
    case 4:
    case 5:
        hit_controller(sim);
        break;
    case 6:
        cut(sim, site);
        break;
    default:
        sim_say(sim, "fault: a stranger asks for site %u", site);
        come_between(sim, site);
        break;
    }
}
