/* A bench's requests as bytes: what each carries, from the trial's setup and
 * what the bench knows. No socket. */
#ifndef PITWALL_CONTROLLER_DISPATCH_H
#define PITWALL_CONTROLLER_DISPATCH_H

#include "controller/bench.h"
#include "controller/request.h"
#include "controller/setup.h"

struct dispatch {
    const struct bench *bench;
    const struct setup *setup; /* of the trial at work */
    const char *plan;          /* its JSON */
    const char *uuid;          /* of the experiment */
    uint32_t tid;              /* that the agents know the trial by */
};

/* Encode the action's request into wire (emptied first); request is what its
 * answer is decoded by. seq numbers it. */
CHECKED enum err dispatch_encode(const struct dispatch *dispatch,
                                 const struct bench_action *action,
                                 uint64_t seq, struct request *request,
                                 struct wire_buf *wire, struct why *why);

#endif
