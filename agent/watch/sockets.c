#include "agent/watch/sockets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/watch/counter.h"

#define USED_MAX  (SOCKETS_SLOTS / 4 * 3)
#define NS_PER_US 1000u

enum err sockets_init(struct sockets *sockets, struct why *why)
{
    memset(sockets, 0, sizeof *sockets);
    sockets->now = calloc(SOCKETS_SLOTS, sizeof *sockets->now);
    sockets->before = calloc(SOCKETS_SLOTS, sizeof *sockets->before);
    if (sockets->now && sockets->before)
        return ERR_OK;
    sockets_fini(sockets);
    return err_set(why, ERR_NOMEM, "tables of sockets");
}

void sockets_fini(struct sockets *sockets)
{
    free(sockets->now);
    free(sockets->before);
    sockets->now = sockets->before = NULL;
}

/* The cookie's slot, or the free one where it would go; the tables always have
 * free ones. Cookies are counted up: multiplying spreads neighbours. */
static struct sockets_slot *slot_of(struct sockets_slot *table, uint64_t cookie)
{
    size_t at = (size_t)(cookie * 0x9e3779b97f4a7c15ull >> 32);
    for (;; at++) {
        struct sockets_slot *slot = &table[at % SOCKETS_SLOTS];
        if (!slot->cookie || slot->cookie == cookie)
            return slot;
    }
}

void sockets_begin(struct sockets *sockets)
{
    struct sockets_slot *spare = sockets->before;
    sockets->before = sockets->now;
    sockets->now = spare;
    memset(sockets->now, 0, SOCKETS_SLOTS * sizeof *sockets->now);
    sockets->n_now = 0;
    sockets->sockets = sockets->rcvq_bytes = sockets->sndq_bytes = 0;
    sockets->rtt_us = sockets->cwnd = sockets->delivery_rate_bytes_s = 0;
}

static bool of_watch(const struct sockets *sockets, const struct tcpinfo *s)
{
    return s->tos == SOCKETS_WATCH_TOS ||
           (sockets->watch_port && s->remote_port == sockets->watch_port);
}

/* A table that is full keeps no further sockets: their time is not counted. */
static void count_time(struct sockets *sockets, const struct tcpinfo *s)
{
    struct sockets_slot *now = slot_of(sockets->now, s->cookie);
    if (!s->cookie || now->cookie || sockets->n_now == USED_MAX)
        return;
    *now = (struct sockets_slot){s->cookie, s->busy_us, s->rwnd_limited_us};
    sockets->n_now++;
    if (!sockets->primed)
        return;
    const struct sockets_slot *before = slot_of(sockets->before, s->cookie);
    sockets->busy_us += counter_since(before->busy_us, s->busy_us);
    sockets->rwnd_limited_us +=
        counter_since(before->rwnd_limited_us, s->rwnd_limited_us);
}

static void count_congestion(struct sockets *sockets, const char *name)
{
    size_t i = 0;
    if (!*name)
        return;
    while (i < sockets->n_congestions &&
           strcmp(sockets->congestions[i].name, name) != 0)
        i++;
    if (i == SOCKETS_CONGESTIONS)
        i--;
    struct sockets_congestion *c = &sockets->congestions[i];
    if (i == sockets->n_congestions) {
        sockets->n_congestions++;
        (void)snprintf(c->name, sizeof c->name, "%s", name);
    }
    c->seen++;
}

void sockets_add(void *ctx, const struct tcpinfo *s)
{
    struct sockets *sockets = ctx;
    if (of_watch(sockets, s))
        return;
    sockets->sockets++;
    sockets->rcvq_bytes += s->rcvq_bytes;
    sockets->sndq_bytes += s->sndq_bytes;
    sockets->rtt_us += s->rtt_us;
    sockets->cwnd += s->cwnd;
    /* No link is as fast: a stranger's number cannot overflow the sum. */
    if (s->delivery_rate_bytes_s < UINT64_MAX / 16 / SOCKETS_SLOTS)
        sockets->delivery_rate_bytes_s += s->delivery_rate_bytes_s;
    if (!sockets->rcvbuf_max || s->rcvbuf_bytes < sockets->rcvbuf_min)
        sockets->rcvbuf_min = s->rcvbuf_bytes;
    if (s->rcvbuf_bytes > sockets->rcvbuf_max)
        sockets->rcvbuf_max = s->rcvbuf_bytes;
    count_time(sockets, s);
    count_congestion(sockets, s->congestion);
}

void sockets_end(struct sockets *sockets)
{
    sockets->primed = true;
    sockets->looks++;
    sockets->rcvq_sum_bytes += sockets->rcvq_bytes;
    if (sockets->rcvq_bytes > sockets->rcvq_peak_bytes)
        sockets->rcvq_peak_bytes = sockets->rcvq_bytes;
}

void sockets_take(struct sockets *sockets, struct record_sample_tcp *out)
{
    uint64_t n = sockets->sockets ? sockets->sockets : 1;
    out->sockets = sockets->sockets;
    out->rcvq_bytes = sockets->rcvq_bytes;
    out->sndq_bytes = sockets->sndq_bytes;
    out->rtt_ns = sockets->rtt_us * NS_PER_US / n;
    out->cwnd = sockets->cwnd / n;
    out->rcvq_peak_bytes = sockets->rcvq_peak_bytes;
    uint64_t looks = sockets->looks - sockets->looks_taken;
    out->rcvq_mean_bytes = looks ? sockets->rcvq_sum_bytes / looks : 0;
    out->delivery_rate_bit_s = 8 * sockets->delivery_rate_bytes_s;
    out->rcvbuf_min = sockets->rcvbuf_min;
    out->rcvbuf_max = sockets->rcvbuf_max;
    out->busy_ns = sockets->busy_us * NS_PER_US;
    out->rwnd_limited_ns = sockets->rwnd_limited_us * NS_PER_US;
    sockets->rcvbuf_min = sockets->rcvbuf_max = sockets->rcvq_peak_bytes = 0;
    sockets->rcvq_sum_bytes = 0;
    sockets->busy_us = sockets->rwnd_limited_us = 0;
    sockets->looks_taken = sockets->looks;
}
