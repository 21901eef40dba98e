/* One agent: its machine, its disk and its executor, which is the program's own
 * code on them (shim.h). */
#ifndef PITWALL_TESTS_SIM_SITE_H
#define PITWALL_TESTS_SIM_SITE_H

#include "agent/executor/executor.h"
#include "tests/sim/disk.h"
#include "tests/sim/net.h"

#define SITES_MAX 3u
#define SITE_KNOB "4096 131072 6291456" /* as the machine is */

struct sim_event;

struct site {
    struct sim *sim;
    unsigned number;
    struct disk disk;
    jmp_buf die;
    struct executor *x;     /* NULL: it does not run */
    bool loses_power;       /* when it dies next, else it is killed */
    uint64_t generation;    /* of the executor */
    uint64_t children;      /* of the attempt's processes */
    uint64_t boots, due_ns; /* due: of the next tick */
    uint64_t mono_off_ns, boot_off_ns;
    uint64_t stopped_ns;   /* SIGSTOP, until then */
    struct packet *answer; /* being made */
    char knob[CHANGE_VALUE_MAX];
    bool meets; /* its loads wait for others after their first window */
};

/* A machine that is off; start its agent; end of all. */
void site_init(struct site *s, struct sim *sim, unsigned number);
void site_boot(struct site *s);
void site_fini(struct site *s);

/* The executor dies, now or after so many effects on its disk. */
void site_kill(struct site *s, bool power);
void site_die_in(struct site *s, unsigned steps, bool power);

/* A request (borrowed), a child's word, time. */
void site_request(struct site *s, const struct packet *p);
void site_part(struct site *s, const struct sim_event *ev);
void site_tick(struct site *s);

/* Have what is on its disk judged. */
void site_rest(struct site *s);

/* Its two clocks. */
uint64_t site_mono_ns(const struct site *s);
uint64_t site_boot_ns(const struct site *s);

#endif
