#include "tests/unit/executor/world.h"

#include <signal.h>

#include "common/clock.h"
#include "tests/lib/check.h"

void world_init(struct world *w, unsigned parts)
{
    *w = (struct world){.now_ns = 1000 * NS_PER_S};
    attempt_init(&w->a, parts, 30 * NS_PER_S, 2 * NS_PER_S);
}

static void note(struct world *w, const struct attempt_action *action)
{
    unsigned bit = PART_BIT(action->part);
    switch (action->kind) {
    case ACTION_SPAWN:
        w->spawned |= bit;
        break;
    case ACTION_SEND:
        w->last = action->msg;
        w->armed |= action->msg.kind == CHILD_ARM ? bit : 0;
        w->started |= action->msg.kind == CHILD_START ? bit : 0;
        w->stopped |= action->msg.kind == CHILD_STOP ? bit : 0;
        break;
    case ACTION_KILL:
        w->killed |= bit;
        break;
    case ACTION_SEAL:
        w->seals++;
        break;
    }
}

enum err world_step(struct world *w, struct attempt_event ev)
{
    ev.now_ns = w->now_ns;
    w->why = (struct why){0};
    enum err e = attempt_step(&w->a, &ev, &w->did, &w->why);
    for (unsigned i = 0; i < w->did.n; i++)
        note(w, &w->did.items[i]);
    return e;
}

enum err world_do(struct world *w, enum event_kind kind)
{
    return world_step(w, (struct attempt_event){.kind = kind});
}

static void send(struct world *w, enum part part, const struct child_msg *msg)
{
    check_ok(world_step(w, (struct attempt_event){.kind = EVENT_MSG,
                                                  .part = part,
                                                  .msg = msg}),
             w->why);
}

void world_say(struct world *w, enum part part, enum child_kind kind,
               const char *text)
{
    struct child_msg msg = {.kind = kind};
    if (text)
        strncpy(msg.text, text, sizeof msg.text - 1);
    if (kind == CHILD_FAILED)
        msg.err = ERR_IO;
    send(w, part, &msg);
}

void world_exit(struct world *w, enum part part, int code, const char *line)
{
    /* A status of waitpid: the exit code in the second byte. */
    check_ok(world_step(w, (struct attempt_event){.kind = EVENT_EXIT,
                                                  .part = part,
                                                  .status = code << 8,
                                                  .text = line}),
             w->why);
}

void world_signal(struct world *w, enum part part, int signal)
{
    check_ok(world_step(w, (struct attempt_event){.kind = EVENT_EXIT,
                                                  .part = part,
                                                  .status = signal}),
             w->why);
}

enum err world_start(struct world *w, uint64_t ahead_ns, uint64_t measure_ns)
{
    return world_step(w, (struct attempt_event){.kind = EVENT_START,
                                                .t0_ns = w->now_ns + ahead_ns,
                                                .warmup_ns = NS_PER_S,
                                                .measure_ns = measure_ns});
}

void world_pass(struct world *w, uint64_t ns)
{
    w->now_ns += ns;
    check_ok(world_do(w, EVENT_TICK), w->why);
}

void world_to(struct world *w, enum attempt_state state)
{
    world_init(w, WORLD_ALL);
    check_ok(world_do(w, EVENT_BEGIN), w->why);
    if (state >= ATTEMPT_PREPARED)
        for (unsigned p = 0; p < PARTS; p++)
            world_say(w, (enum part)p, CHILD_READY,
                      p == PART_TARGET ? "http://t:9200" : NULL);
    if (state >= ATTEMPT_ARMED) {
        check_ok(world_do(w, EVENT_ARM), w->why);
        world_say(w, PART_LOAD, CHILD_ARMED, NULL);
    }
    if (state >= ATTEMPT_RUNNING)
        check_ok(world_start(w, NS_PER_S, 10 * NS_PER_S), w->why);
    if (state >= ATTEMPT_STOPPING) {
        world_pass(w, 12 * NS_PER_S);
        world_say(w, PART_LOAD, CHILD_DONE, NULL);
    }
    if (state == ATTEMPT_SEALED)
        world_settle(w);
    assert_string_equal(state_name(w->a.state), state_name(state));
}

void world_settle(struct world *w)
{
    for (int round = 0; round < 8; round++)
        for (unsigned p = 0; p < PARTS; p++) {
            const struct attempt_part *part = &w->a.part[p];
            if (!part->alive)
                continue;
            if (w->killed & PART_BIT(p))
                world_signal(w, (enum part)p, SIGKILL);
            else if (part->told)
                world_exit(w, (enum part)p, 0, NULL);
        }
    if (w->seals)
        attempt_sealed(&w->a, NULL);
}
