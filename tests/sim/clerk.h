/* The controller, and the operator who starts it again: the bench's own
 * decisions, with a store of rows and lines to the agents. */
#ifndef PITWALL_TESTS_SIM_CLERK_H
#define PITWALL_TESTS_SIM_CLERK_H

#include "controller/bench.h"
#include "controller/request.h"
#include "results/past.h"
#include "tests/sim/net.h"

#define CLERK_ROWS  200u
#define CLERK_OWNER "11111111-2222-3333-4444-555555555555"

/* An attempt as the store has it. */
struct row {
    uint32_t tid, n;
    enum attempt_state state;
    enum attempt_outcome outcome;
    bool invalid;
    uint64_t bytes;
    char error[24];
    bool has[3]; /* of each agent, what was stored */
    uint64_t part_bytes[3];
    uint32_t part_crc[3];
    uint64_t safe_ns; /* committed from then on */
    enum attempt_state before;
};

/* A request on its way. */
struct clerk_line {
    bool open;
    uint64_t sent_ns, due_ns;
    struct request request;
};

struct clerk {
    struct sim *sim;
    bool up, done;
    struct bench bench;
    struct bench_left *left;
    struct clerk_line lines[3];
    struct row rows[CLERK_ROWS];
    unsigned n_rows;
    uint32_t ends[2], n_blocks;
    struct past_block blocks[2]; /* nothing to tell of them */
    struct row *row;             /* of the attempt under way; NULL: none */
    uint64_t seq, generation, due_ns, stopped_ns;
    unsigned sittings, die_in; /* actions until it is killed; 0: it is not */
    bool corrupts;             /* the next FINISH finds a damaged spool */
    struct wire_buf wire;
};

/* An experiment that nobody has begun; begin or resume; end of all. */
void clerk_init(struct clerk *c, struct sim *sim);
void clerk_sit(struct clerk *c);
void clerk_fini(struct clerk *c);

/* It is killed; Ctrl-C. */
void clerk_kill(struct clerk *c);
void clerk_interrupt(struct clerk *c);

/* An answer came (borrowed), time passed. */
void clerk_answer(struct clerk *c, unsigned site, const struct packet *p);
void clerk_wake(struct clerk *c);

/* The row of an attempt; NULL: none. */
const struct row *clerk_row(const struct clerk *c, uint32_t tid, uint32_t att);

#endif
