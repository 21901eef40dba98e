#include "tests/sim/papers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/dispatch.h"
#include "controller/remainder.h"

#define RETRIES 1

enum err papers_request(struct clerk *c, const struct bench_action *a,
                        struct why *why)
{
    struct setup setup;
    struct dispatch d = {.bench = &c->bench,
                         .plan = "{}",
                         .uuid = CLERK_OWNER,
                         .tid = c->bench.trial + 1};
    if (a->op == MSG_PREPARE) {
        memset(&setup, 0, sizeof setup);
        (void)snprintf(setup.spec.role, sizeof setup.spec.role, "both");
        setup.spec.ready_ns = 2 * NS_PER_S;
        setup.spec.drain_ns = NS_PER_S / 2;
        d.setup = &setup;
    }
    return dispatch_encode(&d, a, c->seq, &c->lines[a->agent].request, &c->wire,
                           why);
}

static enum err recall(struct clerk *c, struct past *past, struct why *why)
{
    *past = (struct past){.n_sittings = c->sittings,
                          .n_trials = c->ends[c->n_blocks - 1],
                          .ends = c->ends,
                          .blocks = c->blocks,
                          .n_blocks = c->n_blocks,
                          .n_attempts = c->n_rows};
    past->attempts = calloc(c->n_rows + 1, sizeof *past->attempts);
    if (!past->attempts)
        return err_set(why, ERR_NOMEM, "attempts");
    for (unsigned i = 0; i < c->n_rows; i++) {
        const struct row *r = &c->rows[i];
        past->attempts[i] = (struct past_attempt){.id = i + 1,
                                                  .tid = r->tid,
                                                  .n = r->n,
                                                  .state = r->state,
                                                  .outcome = r->outcome,
                                                  .invalid = r->invalid,
                                                  .spool_bytes = r->bytes};
        memcpy(past->attempts[i].error, r->error, sizeof r->error);
    }
    return ERR_OK;
}

enum err papers_begin(struct clerk *c, unsigned n_agents, struct why *why)
{
    static const char *const names[] = {"a", "b", "c"};
    const struct ceiling_plans none = {.n = 0};
    struct past past;
    struct bench_config config = {.ends = c->ends,
                                  .n_blocks = c->n_blocks,
                                  .retries = RETRIES,
                                  .times = {200 * NS_PER_MS, 600 * NS_PER_MS},
                                  .ready_ns = 2 * NS_PER_S,
                                  .drain_ns = NS_PER_S / 2,
                                  .n_agents = n_agents};
    memcpy(config.names, names, sizeof names);
    enum err e = recall(c, &past, why);
    if (!e)
        e = remainder_find(&past, &none, NULL, &c->left, &config.n_left, why);
    config.left = c->left;
    if (!e)
        e = bench_init(&c->bench, &config, why);
    if (!e)
        remainder_recall(&past, &c->bench);
    free(past.attempts);
    return e;
}

uint32_t papers_left(struct clerk *c)
{
    struct past past;
    struct why why = {""};
    uint32_t n = UINT32_MAX;
    enum err e = recall(c, &past, &why);
    if (!e)
        e = remainder_count(&past, RETRIES, &n, &why);
    free(past.attempts);
    return e ? UINT32_MAX : n;
}
