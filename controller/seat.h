/* One agent's seat at a bench: its lease, its part in the attempt under way,
 * and how its clock lies to ours. Pure, a part of bench.c's machine: seat.c
 * takes what the agent answers, bench.c decides when it may go on.
 *
 *   HELLO -> ACQUIRE -> IDLE -> PREPARE, PREPARING | ARM, ARMING | EXTEND,
 *     CLOCK, READY | START, RUNNING (| CLOCK, READY | MEET, RUNNING) -> SEALED
 *     | COLLECT -> REST | ACK -> IDLE ... RELEASE -> GONE
 *   STOP, STOPPING lie between any of the middle ones and SEALED; a lost agent
 *   leads back to HELLO, and what it says of the attempt then decides. At each
 *   | it waits for the others. */
#ifndef PITWALL_CONTROLLER_SEAT_H
#define PITWALL_CONTROLLER_SEAT_H

#include "common/clock.h"
#include "common/msg.h"
#include "common/state.h"

#define SEAT_RENEW_NS    (2 * NS_PER_S)
#define SEAT_TTL_NS      (15 * NS_PER_S)
#define SEAT_TTL_RUN_NS  (60 * NS_PER_S) /* beyond the trial's length */
#define SEAT_REQUEST_NS  (3 * NS_PER_S)
#define SEAT_POLL_NS     (20 * NS_PER_MS)
#define SEAT_POLL_RUN_NS (200 * NS_PER_MS)
#define SEAT_GRACE_NS    (10 * NS_PER_S)   /* beyond what the agent waits */
#define SEAT_BACKOFF_NS  (200 * NS_PER_MS) /* first; doubled each time */
#define SEAT_BACKOFFS    4u                /* doublings */
#define SEAT_TRIES       5u                /* to reach a lost agent, at least */
#define SEAT_PINGS       32u               /* the quickest one counts */
#define SEAT_SPOOL_MAX   (1u << 30)

enum seat_phase {
    SEAT_HELLO,
    SEAT_ACQUIRE,
    SEAT_IDLE,
    SEAT_PREPARE,
    SEAT_PREPARING,
    SEAT_ARM,
    SEAT_ARMING,
    SEAT_EXTEND, /* the lease, over the measured time */
    SEAT_CLOCK,
    SEAT_READY,
    SEAT_START,
    SEAT_MEET, /* loads go on together: meeting.h */
    SEAT_RUNNING,
    SEAT_STOP,
    SEAT_STOPPING,
    SEAT_SEALED,
    SEAT_COLLECT,
    SEAT_REST, /* collected, or nothing to be had */
    SEAT_ACK,
    SEAT_RELEASE,
    SEAT_GONE,
    SEAT_PHASES
};

struct seat {
    const char *name;
    enum seat_phase phase, resume; /* resume: where a lost agent left us */
    bool waiting;                  /* for an answer */
    enum msg_op op;                /* the outstanding request */
    uint64_t token, renew_ns, poll_ns, due_ns;
    uint64_t heard_ns; /* of the last STATUS */
    uint64_t lease_ns; /* when it is over, as we count; asked for: till then */
    uint64_t asked_ns;
    uint32_t tries;   /* to reach the agent again */
    uint64_t gone_ns; /* since when it is out of reach, ... */
    uint64_t away_ns; /* ... and how long it was in the attempt, in all */
    uint32_t strikes; /* errors in a row */
    bool lost;        /* it cannot be reached any more */

    bool takes_part; /* in the attempt under way */
    bool sent, accepted, armed, started, stopping, done, collected;
    enum attempt_state state;       /* as it was last told */
    struct msg_status_reply status; /* the last one */
    enum attempt_outcome outcome;   /* once sealed or dropped */

    uint32_t pings;
    bool clock_known;
    int64_t offset_ns;     /* the agent's clock minus ours ... */
    uint64_t uncertain_ns; /* ... within this: half of the quickest ping */
    struct {               /* the same at the start, by the agent's clock */
        int64_t offset_ns;
        uint64_t uncertain_ns, t0_ns;
    } start;
    uint32_t told, met; /* the last meeting that it was told, and heard, of */

    uint32_t recollected;
    uint8_t *spool;
    size_t spool_len, spool_size;
    uint32_t spool_crc;
};

struct bench;
struct bench_event;

/* An agent's answer or silence. */
void seat_hear(struct bench *b, struct seat *s, const struct bench_event *ev);

/* Enter a phase; its deadline and polling begin at now_ns. */
void seat_enter(struct bench *b, struct seat *s, enum seat_phase phase,
                uint64_t now_ns);

/* Begin an attempt, as one who takes part or not. */
void seat_begin(struct seat *s, bool takes_part);

/* The attempt fails because of s: the first text is kept, with the agent's name
 * where there are several. bench.c stops all. */
void seat_fail(struct bench *b, struct seat *s, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Its part in the attempt ends without results. */
void seat_drop(struct seat *s, enum attempt_outcome outcome);

/* The same, and the attempt fails because of it: nothing of it runs there. */
void seat_void(struct bench *b, struct seat *s, enum attempt_outcome outcome,
               const char *text);

/* It cannot be used any more, nor can the bench. */
void seat_lose(struct bench *b, struct seat *s, const char *text);

/* Take a piece of its spool (COLLECT's answer); the last one ends its part. */
void seat_take_chunk(struct bench *b, struct seat *s,
                     const struct bench_event *ev);

/* Collect its spool again, or give up. */
void seat_collect_again(struct bench *b, struct seat *s, uint64_t now_ns,
                        const char *text);

/* Whether it is being reached, and whether its part is over. */
bool seat_is_reaching(const struct seat *s);
bool seat_at_rest(const struct seat *s);

#endif
