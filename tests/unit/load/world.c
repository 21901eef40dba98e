#include "tests/unit/load/world.h"

#include <stdlib.h>

#include "tests/lib/check.h"

#define CONNS_MAX 16

struct engine {
    struct engine_config config;
    struct world *world;
    struct {
        const struct engine_request *request; /* under way; NULL: idle */
        uint64_t sent_ns, done_ns;
        unsigned status;
    } conns[CONNS_MAX];
    uint32_t n_requests;
};

static struct world *the_world;

void world_begin(struct world *world)
{
    the_world = world;
}

uint64_t world_now(void *ctx)
{
    return ((struct world *)ctx)->now_ns;
}

uint32_t world_conns(const struct world *world)
{
    return world->engine->config.n_lanes;
}

static enum err world_open(struct engine **out,
                           const struct engine_config *config, struct why *why)
{
    (void)why;
    assert_true(config->n_lanes <= CONNS_MAX);
    *out = calloc(1, sizeof **out);
    (*out)->config = *config;
    (*out)->world = the_world;
    the_world->engine = *out;
    return ERR_OK;
}

static void world_close(struct engine *engine)
{
    free(engine);
}

static enum err world_connect(struct engine *engine, uint32_t conn,
                              struct why *why)
{
    (void)engine;
    (void)conn;
    (void)why;
    return ERR_OK;
}

/* How long a request takes: by the work whose body it is. */
static uint64_t service_of(const struct world *world,
                           const struct engine_request *request)
{
    for (size_t i = 0; i < world->step->n_works; i++) {
        struct body_list list = body_of(world->step->works[i].bodies, 0);
        for (uint32_t b = 0; b < list.n; b++)
            if (&list.items[b].request == request)
                return world->service_ns[i];
    }
    fail_msg("a request of no work");
    return 0;
}

static void world_submit(struct engine *engine, uint32_t conn,
                         const struct engine_request *request)
{
    const struct world *world = engine->world;
    uint64_t service_ns = service_of(world, request);
    assert_null(engine->conns[conn].request);
    if (world->slow_client == conn + 1)
        service_ns *= 3;
    engine->n_requests++;
    engine->conns[conn].request = request;
    engine->conns[conn].status =
        engine->n_requests == world->fail_request ? 503 : 200;
    engine->conns[conn].sent_ns = world->now_ns;
    engine->conns[conn].done_ns = world->now_ns + service_ns;
}

static void finish(struct engine *engine, uint32_t conn,
                   enum engine_outcome outcome, const char *text)
{
    const struct engine_config *c = &engine->config;
    const struct engine_request *r = engine->conns[conn].request;
    const struct engine_answer a = {.outcome = outcome,
                                    .status = engine->conns[conn].status,
                                    .sent_ns = engine->conns[conn].sent_ns,
                                    .done_ns = engine->world->now_ns,
                                    .sent_bytes = r->head_bytes + r->body_bytes,
                                    .given_up = text,
                                    .text = text};
    if (outcome == ENGINE_ANSWERED)
        c->events->head(c->ctx, conn, a.status);
    engine->conns[conn].request = NULL;
    c->events->answer(c->ctx, conn, &a);
}

static uint64_t world_wait(struct engine *engine, uint64_t now_ns,
                           uint64_t until_ns)
{
    struct world *world = engine->world;
    uint64_t next_ns = until_ns;
    assert_int_equal(now_ns, world->now_ns);
    for (uint32_t i = 0; i < engine->config.n_lanes; i++)
        if (engine->conns[i].request && engine->conns[i].done_ns < next_ns)
            next_ns = engine->conns[i].done_ns;
    if (next_ns > world->now_ns)
        world->now_ns = next_ns + world->sleep_over_ns;
    uint64_t woke_ns = world->now_ns;
    for (uint32_t i = 0; i < engine->config.n_lanes; i++)
        if (engine->conns[i].request && engine->conns[i].done_ns <= woke_ns)
            finish(engine, i, ENGINE_ANSWERED, NULL);
    return woke_ns;
}

static void world_cancel(struct engine *engine, uint32_t conn, const char *text)
{
    if (engine->conns[conn].request)
        finish(engine, conn, ENGINE_LOST, text);
}

static struct engine_stats world_stats(const struct engine *engine,
                                       uint64_t now_ns)
{
    (void)engine;
    (void)now_ns;
    return (struct engine_stats){0};
}

const struct engine_ops world_engine = {.name = "world",
                                        .open = world_open,
                                        .close = world_close,
                                        .connect = world_connect,
                                        .submit = world_submit,
                                        .wait = world_wait,
                                        .cancel = world_cancel,
                                        .stats = world_stats};

struct work world_work(uint32_t clients, uint32_t n_bodies)
{
    static struct plan_request requests[PLAN_REQUESTS_MAX];
    struct plan_task task = {
        .kind = PLAN_REQUESTS, .requests = requests, .n_requests = n_bodies};
    const struct body_config config = {
        .host = "h", .headers = "", .n_clients = clients};
    struct work w = {.name = "w",
                     .operation = "raw-request",
                     .looped = true,
                     .clients = clients,
                     .timeout_ns = 60000000000,
                     .conns = 1};
    struct why why = {0};
    for (uint32_t i = 0; i < n_bodies; i++)
        requests[i] = (struct plan_request){.method = "POST", .path = "/"};
    check_ok(body_make(&w.bodies, NULL, &task, &config, &why), why);
    return w;
}
