/* The agents that a command works with: one bench's, the target's first, from
 * options or a lab file; or one of our own on this machine. */
#ifndef PITWALL_CONTROLLER_LAB_H
#define PITWALL_CONTROLLER_LAB_H

#include "controller/agent.h"
#include "controller/lab_file.h"
#include "controller/needs.h"

struct lab {
    char name[65]; /* of the bench */
    struct agent *agents[NEEDS_AGENTS_MAX];
    unsigned n;
};

/* Of several benches, used side by side. */
struct labs {
    struct lab *items[LAB_FILE_BENCHES_MAX];
    unsigned n;
};

/* Reach the agents of a bench and greet them; without any: start one here. way
 * has what holds for all of them, not url and name.
 * Errors  as agent_open; ERR_INVALID: an agent calls itself otherwise than the
 *         file does, or two have one name.
 * Owns    *out is the caller's, for lab_close; NULL on failure. */
CHECKED enum err lab_open(struct lab **out, const struct lab_place *place,
                          const struct agent_way *way, struct why *why);
void lab_close(struct lab *lab, bool keep);

/* lab_open of each bench. Owns: labs_close; nothing on failure. */
CHECKED enum err labs_open(struct labs *out, const struct lab_places *places,
                           const struct agent_way *way, struct why *why);
void labs_close(struct labs *labs, bool keep);

/* Names of all benches, "rack1, rack2", into buf (returned). */
const char *labs_names(const struct labs *labs, char *buf, size_t size);

/* Take the leases of all, so that one in use is found before anything is
 * written. ERR_HELD. */
CHECKED enum err lab_acquire(struct lab *lab, const char *owner,
                             uint64_t ttl_ns, struct why *why);

/* What the agents said of themselves; valid as long as lab. */
struct needs_agents lab_hellos(const struct lab *lab);

/* The agent's name, valid as long as lab. */
const char *lab_agent(const struct lab *lab, unsigned i);

#endif
