/* The JVM's own allocations, as its log of TLABs showed them (-Xlog:gc+tlab of
 * the same server, 256 MB and 1 GB): the main thread 8 MB until the first
 * connection, of which about 4 MB stay alive, 15.7 MB when the recording
 * starts; the accepting thread and the recorder take a buffer and hardly use
 * it; one of the JVM's service threads takes one in nearly every cycle. */
#include "tests/bench/fidelity/server.h"

#include <stdlib.h>
#include <string.h>

#define MAIN_START_BYTES  4000000u
#define MAIN_LIVE_BYTES   4000000u
#define MAIN_RECORD_BYTES 15700000u
#define MAIN_OBJECT_BYTES 1024u
#define IDLE_OBJECT_BYTES 64u
#define LIVE_OBJECTS      (MAIN_LIVE_BYTES / MAIN_OBJECT_BYTES)

void server_enter(struct mutator *m)
{
    heap_native_leave(m);
}

void server_leave(struct mutator *m)
{
    heap_native_enter(m);
}

/* "fixed64k" and "adapt1k-512k" as --predictor writes them. The runs named cold
 * had 64k as the initial size. */
static enum err set_predictor(struct server *s, struct why *why)
{
    char text[2 * ROW_TEXT] = "fixed:";
    const char *name = s->row->predictor;
    if (!strncmp(name, "fixed", 5)) {
        strcat(text, name + 5);
    } else if (!strncmp(name, "adapt", 5)) {
        strcpy(text, "adaptive:");
        strcat(text, name + 5);
    } else {
        return err_set(why, ERR_UNSUPPORTED, "predictor %s", name);
    }
    s->predictor.rules = PREDICTOR_4_1_48;
    s->predictor.reads_per_wakeup = (uint32_t)s->row->max_messages_per_read;
    enum err e = predictor_parse(text, &s->predictor, why);
    if (!e && s->predictor.adaptive && !strncmp(s->row->phase, "cold", 4))
        s->predictor.initial = 65536;
    return e;
}

static struct mutator *attach(struct server *s, const char *name)
{
    struct mutator *m = heap_attach(s->heap, name);
    if (m)
        server_leave(m);
    else
        s->oom = true; /* of the machine: no row is that large */
    return m;
}

static void attach_all(struct server *s)
{
    s->main = attach(s, "main");
    s->boss = attach(s, "boss");
    s->service = attach(s, "service");
    s->recorder = attach(s, "recorder");
    for (unsigned i = 0; i < SERVER_WORKERS; i++)
        s->workers[i] = attach(s, "worker");
    for (unsigned i = 0; i < SERVER_PARSERS && s->row->parse_work; i++)
        s->parsers[i] = attach(s, "bulk");
}

static void allocate(struct server *s, struct mutator *m, uint64_t bytes,
                     uint64_t object_bytes)
{
    server_enter(m);
    for (uint64_t done = 0; done < bytes && !s->oom; done += object_bytes)
        s->oom = !heap_garbage(m, object_bytes);
    server_leave(m);
}

/* What stays alive lies between what does not. */
static void start_main(struct server *s)
{
    for (unsigned i = 0; i < LIVE_OBJECTS && !s->oom; i++) {
        allocate(s, s->main, MAIN_START_BYTES / LIVE_OBJECTS,
                 MAIN_START_BYTES / LIVE_OBJECTS);
        server_enter(s->main);
        s->live[i] = heap_alloc(s->main, MAIN_OBJECT_BYTES - 16);
        s->oom = s->oom || !s->live[i];
        server_leave(s->main);
    }
}

enum err server_open(struct server *server, const struct row *row,
                     struct why *why)
{
    *server = (struct server){.row = row};
    struct heap_config config = {.heap_bytes = row->heap_mb << 20};
    enum err e = set_predictor(server, why);
    if (!e && row->workers != SERVER_WORKERS)
        e = err_set(why, ERR_UNSUPPORTED, "%llu workers",
                    (unsigned long long)row->workers);
    if (!e)
        server->live = calloc(LIVE_OBJECTS, sizeof *server->live);
    if (!e && !server->live)
        e = err_set(why, ERR_NOMEM, "server: no memory");
    if (!e)
        e = heap_new(&server->heap, &config, why);
    if (e) {
        server_close(server);
        return e;
    }
    attach_all(server);
    start_main(server);
    allocate(server, server->boss, IDLE_OBJECT_BYTES, IDLE_OBJECT_BYTES);
    allocate(server, server->service, IDLE_OBJECT_BYTES, IDLE_OBJECT_BYTES);
    return ERR_OK;
}

static void detach(struct mutator *m)
{
    if (!m)
        return;
    server_enter(m);
    heap_detach(m);
}

void server_close(struct server *server)
{
    detach(server->main);
    detach(server->boss);
    detach(server->service);
    detach(server->recorder);
    for (unsigned i = 0; i < SERVER_WORKERS; i++)
        detach(server->workers[i]);
    for (unsigned i = 0; i < SERVER_PARSERS; i++)
        detach(server->parsers[i]);
    heap_free(server->heap);
    free(server->live);
    *server = (struct server){0};
}

void server_measure(struct server *server)
{
    allocate(server, server->main, MAIN_RECORD_BYTES, MAIN_OBJECT_BYTES);
    heap_stats_reset(server->heap);
    allocate(server, server->boss, IDLE_OBJECT_BYTES, IDLE_OBJECT_BYTES);
    allocate(server, server->recorder, IDLE_OBJECT_BYTES, IDLE_OBJECT_BYTES);
}

void server_idle(struct server *server)
{
    struct heap_stats stats;
    heap_stats(server->heap, NULL, &stats);
    if (stats.young_since_start == server->young_seen)
        return;
    server->young_seen = stats.young_since_start;
    allocate(server, server->service, IDLE_OBJECT_BYTES, IDLE_OBJECT_BYTES);
}
