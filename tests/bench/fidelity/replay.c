/* Whose turn it is. Each connection has its share of the link, and the one that
 * got least for its share reads next, as far as it has something to read. The
 * clock follows the bytes at the link's rate; it matters only where something
 * is held for a time: parse threads and the service delay.
 *
 * TCP flows on a shaped link are far from equal: their shares are drawn anew
 * every FLOW_NS, spread by FLOW_SIGMA. The reference's latencies are spread
 * so (p50 and p99 against the mean: 0.7 and 4 where a request takes half that
 * time, 0.9 and 1.5 where it takes four times as long), and so are the four
 * event loops' parts of eden in the JVM's log (-Xlog:gc+tlab) of such a run.
 * With equal shares all bodies would end in the same moment, and eight of them
 * would be alive together.
 *
 * Without a shaper it is the CPUs that the event loops share, and zeroing
 * buffers is what they do: their paces differ for a while, by PACE_SIGMA over
 * PACE_BYTES, and requests by REQUEST_SIGMA. The loops' parts of eden are then
 * spread as the JVM logged: by a tenth in the long cycles of a heap of 1 GB, by
 * a quarter in those of 256 MB. Not in the warm-up, whose small bodies keep
 * all loops evenly busy: there the logged parts differ by about 2 %. */
#include "tests/bench/fidelity/replay.h"

#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "tests/bench/fidelity/parser.h"

#define PEERS             8u
#define WARMUP_BODY_BYTES 500000u
#define FAST_BYTES_S      1e9 /* loopback, and Ethernet without a shaper */
#define PARSE_BYTES_S     250e6
#define IDLE_STEP_NS      1000000u
#define FLOW_SIGMA        1.5
#define FLOW_NS           200000000u
#define REQUEST_SIGMA     0.3
#define PACE_SIGMA        0.25
#define PACE_BYTES        50e6 /* of buffers */

struct replay {
    const struct row *row;
    struct server server;
    struct driver driver;
    struct bag *bag; /* NULL: full buffers */
    struct peer peers[PEERS];
    struct parser parsers[SERVER_PARSERS];
    unsigned next_parser;      /* that takes a body: the one idle for longest */
    struct peer *queue[PEERS]; /* bodies that wait for a parser */
    unsigned n_queue;
    double pace[SERVER_WORKERS], pace_left_bytes;
    uint64_t flow_end_ns;   /* when shares are drawn anew */
    uint64_t requests_left; /* to be begun */
    uint64_t delay_ms;
    bool warming;
    double bytes_s;
    uint64_t now_ns;
    struct rand chance;
};

static double link_rate(const struct row *row)
{
    if (!strcmp(row->link, "eth200m"))
        return 200e6 / 8;
    if (!strcmp(row->link, "eth1g"))
        return 1e9 / 8;
    return FAST_BYTES_S;
}

/* exp of a normal deviate (Box and Muller); 1 in the warm-up. */
static double spread(struct replay *r, double sigma)
{
    if (r->warming)
        return 1;
    double radius = sqrt(2 * rand_exponential(&r->chance));
    return exp(sigma * radius * cos(2 * M_PI * rand_unit(&r->chance)));
}

/* Whether flows compete for a shaped link; where the receiver's window is small
 * each waits for its own acknowledgements instead. */
static bool shaped(const struct replay *r)
{
    return r->bytes_s < FAST_BYTES_S && strcmp(r->row->rmem, "low") != 0;
}

/* A connection's share from now on. */
static void draw_share(struct replay *r, struct peer *p)
{
    p->weight = spread(r, shaped(r) ? FLOW_SIGMA : REQUEST_SIGMA);
}

/* Time passed, and an event loop has worked on a buffer. */
static void draw_anew(struct replay *r, uint32_t buffer_bytes)
{
    if (shaped(r) && r->now_ns >= r->flow_end_ns) {
        r->flow_end_ns = r->now_ns + FLOW_NS;
        for (unsigned i = 0; i < PEERS; i++)
            draw_share(r, &r->peers[i]);
    }
    r->pace_left_bytes -= buffer_bytes;
    if (r->pace_left_bytes > 0)
        return;
    r->pace_left_bytes = PACE_BYTES;
    for (unsigned i = 0; i < SERVER_WORKERS; i++)
        r->pace[i] = shaped(r) ? 1 : spread(r, PACE_SIGMA);
}

static struct peer *next_reader(struct replay *r)
{
    struct peer *next = NULL;
    for (unsigned i = 0; i < PEERS; i++) {
        struct peer *p = &r->peers[i];
        if (p->state == PEER_READING && (!next || p->turn < next->turn))
            next = p;
    }
    return next;
}

/* The answer is out: the connection's next request, with a share of its own,
 * beginning where the others stand. */
static void answer(struct replay *r, struct peer *p)
{
    const struct peer *first;
    peer_answered(p);
    p->state = PEER_DONE;
    if (!r->requests_left)
        return;
    first = next_reader(r);
    if (first && first->turn > p->turn)
        p->turn = first->turn;
    if (!shaped(r))
        draw_share(r, p);
    p->state = PEER_READING;
    r->requests_left--;
}

static void completed(struct replay *r, struct peer *p)
{
    if (r->row->parse_work) {
        p->state = PEER_PARSING;
        r->queue[r->n_queue++] = p;
    } else if (r->delay_ms) {
        uint64_t ms = r->delay_ms / 2 + rand_bounded(&r->chance, r->delay_ms);
        p->due_ns = r->now_ns + ms * NS_PER_MS;
    } else {
        answer(r, p);
    }
}

/* Bodies that wait go to the parse threads that have been idle for longest. */
static void start_parsers(struct replay *r)
{
    while (r->n_queue) {
        struct parser *idle = NULL;
        for (unsigned i = 0; i < SERVER_PARSERS; i++) {
            struct parser *p = &r->parsers[i];
            if (!p->peer && (!idle || p->idle_since_ns < idle->idle_since_ns))
                idle = p;
        }
        if (!idle)
            return;
        *idle = (struct parser){.mutator = idle->mutator, .peer = r->queue[0]};
        r->n_queue--;
        memmove(r->queue, r->queue + 1, r->n_queue * sizeof(struct peer *));
    }
}

static void parse(struct replay *r, struct parser *parser, uint64_t bytes)
{
    if (!parser->peer || !parser_run(parser, &r->server, bytes))
        return;
    answer(r, parser->peer);
    parser->peer = NULL;
    parser->idle_since_ns = r->now_ns;
}

/* Time passes: parse threads work, delays end. */
static void pass(struct replay *r, uint64_t ns)
{
    r->now_ns += ns;
    start_parsers(r);
    for (unsigned i = 0; i < SERVER_PARSERS && r->row->parse_work; i++)
        if (!r->server.oom)
            parse(r, &r->parsers[i],
                  (uint64_t)((double)ns * PARSE_BYTES_S / NS_PER_S));
    for (unsigned i = 0; i < PEERS; i++)
        if (r->peers[i].state == PEER_SERVING &&
            r->peers[i].due_ns <= r->now_ns)
            answer(r, &r->peers[i]);
    server_idle(&r->server);
}

static bool busy(const struct replay *r)
{
    for (unsigned i = 0; i < PEERS; i++)
        if (r->peers[i].state != PEER_DONE)
            return true;
    return false;
}

/* Serve that many requests over new connections, which are then closed. */
static void serve(struct replay *r, uint64_t requests)
{
    for (unsigned i = 0; i < PEERS; i++) {
        struct peer *p = &r->peers[i];
        struct mutator *m = r->server.workers[i % SERVER_WORKERS];
        if (!r->server.oom && !peer_open(p, &r->server, m, &r->driver))
            r->server.oom = true;
        draw_share(r, p);
        p->state = i < requests ? PEER_READING : PEER_DONE;
    }
    r->pace_left_bytes = 0;
    draw_anew(r, 0);
    r->requests_left = requests > PEERS ? requests - PEERS : 0;
    while (!r->server.oom && busy(r)) {
        struct peer *p = next_reader(r);
        uint64_t ns = IDLE_STEP_NS;
        if (p) {
            uint32_t n = peer_wake(p, &r->server, r->bag);
            draw_anew(r, p->predictor.attempted);
            p->turn += n / p->weight / r->pace[(p - r->peers) % SERVER_WORKERS];
            ns = (uint64_t)(n * (double)NS_PER_S / r->bytes_s);
            if (p->state == PEER_SERVING && !r->server.oom)
                completed(r, p);
        }
        if (!r->server.oom)
            pass(r, ns);
    }
    for (unsigned i = 0; i < PEERS; i++)
        peer_close(&r->peers[i], &r->server);
}

static enum err warm_up(struct replay *r, struct why *why)
{
    uint64_t requests = r->row->warmup_bytes / WARMUP_BODY_BYTES;
    if (!requests)
        return ERR_OK;
    r->bytes_s = FAST_BYTES_S;
    r->warming = true;
    enum err e = driver_make(&r->driver, WARMUP_BODY_BYTES, 0, 0, why);
    if (!e)
        serve(r, requests);
    driver_free(&r->driver);
    r->warming = false;
    return e;
}

static void add(const struct replay *r, struct figures *out)
{
    struct figures one = {.runs = 1, .ooms = r->server.oom};
    heap_stats(r->server.heap, NULL, &one.heap);
    for (unsigned i = 0; i < PEERS; i++) {
        one.bytes += r->peers[i].bytes;
        one.buffers += r->peers[i].buffers;
    }
    figures_add(out, &one, row_oom(r->row));
}

static enum err measure(struct replay *r, struct figures *out, struct why *why)
{
    const struct row *row = r->row;
    uint64_t requests =
        row_oom(row)
            ? (row->bytes_target + row->body_bytes - 1) / row->body_bytes
            : row->requests;
    enum err e = driver_make(&r->driver, row->body_bytes, row->hdr_count,
                             row->hdr_len, why);
    server_measure(&r->server);
    r->bytes_s = link_rate(row);
    r->delay_ms = row->service_delay_ms;
    if (!e)
        serve(r, requests);
    add(r, out);
    driver_free(&r->driver);
    return e;
}

enum err replay_run(const struct row *row, uint64_t seed, struct figures *out,
                    struct why *why)
{
    struct replay r = {.row = row, .chance = {.state = seed}};
    struct bag bag = {0};
    enum err e = server_open(&r.server, row, why);
    if (!e)
        e = bag_open(&bag, row, seed, why);
    for (unsigned i = 0; i < SERVER_PARSERS; i++)
        r.parsers[i].mutator = r.server.parsers[i];
    /* Where the receiver's window is small, it was small in the warm-up. */
    r.bag = strcmp(row->rmem, "low") ? NULL : &bag;
    if (!e)
        e = warm_up(&r, why);
    if (!e) {
        bag_fill(&bag);
        r.bag = &bag;
        e = measure(&r, out, why);
    }
    bag_close(&bag);
    server_close(&r.server);
    return e ? err_wrap(why, e, "run %llu", (unsigned long long)row->run)
             : ERR_OK;
}
