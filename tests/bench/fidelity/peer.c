#include "tests/bench/fidelity/peer.h"

#include <assert.h>
#include <string.h>

bool peer_open(struct peer *peer, struct server *server,
               struct mutator *mutator, const struct driver *driver)
{
    *peer = (struct peer){
        .mutator = mutator, .driver = driver, .weight = 1, .size = BAG_NONE};
    predictor_init(&peer->predictor, &server->predictor);
    server_enter(mutator);
    bool done = decoder_init(&peer->decoder, mutator,
                             (uint32_t)server->row->initial_buffer_size,
                             (uint32_t)server->row->max_components);
    server_leave(mutator);
    if (!done)
        peer->mutator = NULL;
    return done;
}

void peer_close(struct peer *peer, struct server *server)
{
    struct mutator *m = peer->mutator;
    if (!m)
        return;
    server_enter(m);
    body_release(&peer->decoder.body, m);
    heap_release(m, peer->input.ref);
    predictor_begin(&peer->predictor);
    if (!server->oom && receive_buffer(&peer->predictor, m, &peer->input)) {
        enum receive end = receive_filled(&peer->predictor, m, &peer->input, 0);
        assert(end == RECEIVE_NONE);
        peer->buffers += peer->predictor.attempted;
    }
    decoder_fini(&peer->decoder, m);
    server_leave(m);
    peer->mutator = NULL;
}

/* Bytes that the next read brings. */
static uint32_t next_read(struct peer *peer, struct bag *bag)
{
    size_t left = peer->driver->bytes - peer->sent;
    uint32_t most = peer->predictor.attempted;
    if (left < most)
        most = (uint32_t)left;
    return bag ? bag_draw(bag, most, &peer->size) : most;
}

static bool decode(struct peer *peer, struct server *server)
{
    struct why why = {0};
    switch (decoder_run(&peer->decoder, peer->mutator, &peer->input, &why)) {
    case DECODE_MORE:
        return true;
    case DECODE_REQUEST:
        assert(peer->sent == peer->driver->bytes);
        peer->sent = 0;
        peer->state = PEER_SERVING;
        return !server->row->es_body_copy ||
               body_copy(&peer->decoder.body, peer->mutator);
    case DECODE_OOM:
        return false;
    case DECODE_CONTINUE:
    case DECODE_LONG:
    case DECODE_LARGE:
    case DECODE_BAD:
        break;
    }
    assert(!"the driver's requests are well formed");
    return false;
}

/* One read; how many bytes. */
static uint32_t read_once(struct peer *peer, struct server *server,
                          struct bag *bag)
{
    struct mutator *m = peer->mutator;
    if (!receive_buffer(&peer->predictor, m, &peer->input)) {
        server->oom = true;
        return 0;
    }
    uint32_t n = next_read(peer, bag);
    memcpy(heap_ptr(m, peer->input.ref), peer->driver->request + peer->sent, n);
    peer->sent += n;
    peer->bytes += n;
    peer->buffers += peer->predictor.attempted;
    if (receive_filled(&peer->predictor, m, &peer->input, n) == RECEIVE_OOM ||
        !decode(peer, server))
        server->oom = true;
    return n;
}

uint32_t peer_wake(struct peer *peer, struct server *server, struct bag *bag)
{
    uint32_t bytes = 0;
    server_enter(peer->mutator);
    predictor_begin(&peer->predictor);
    do
        bytes += read_once(peer, server, bag);
    while (!server->oom && peer->state == PEER_READING &&
           predictor_more(&peer->predictor));
    predictor_end(&peer->predictor);
    server_leave(peer->mutator);
    return bytes;
}

void peer_answered(struct peer *peer)
{
    server_enter(peer->mutator);
    body_release(&peer->decoder.body, peer->mutator);
    decoder_next(&peer->decoder);
    server_leave(peer->mutator);
}
