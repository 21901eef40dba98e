/* How fast and how long a task goes, by Rally's names. */
#ifndef PITWALL_TRACKS_RENDER_PACE_H
#define PITWALL_TRACKS_RENDER_PACE_H

#include "tracks/render.h"

struct render_pace {
    uint64_t clients, warmup_ns, measure_ns, ramp_up_ns;
    uint64_t warmup_iterations, iterations; /* of each client; 0: not given */
    double rate_s;                          /* 0: as fast as it goes */
    bool rate_docs, poisson;
};

/* What an operation may have a rate of, beside operations. */
struct render_unit {
    bool docs;
    uint64_t pages; /* of each operation; 0: it has none, or any number */
};

/* Read task's pace; parallel (NULL: none) has defaults for it. ERR_INVALID,
 * also for what does not go together. */
CHECKED enum err render_pace_read(const struct jv *task,
                                  const struct jv *parallel,
                                  struct render_unit unit,
                                  struct render_pace *pace, struct why *why);

/* Put it into out, the plan's task; in test mode small and short. */
void render_pace_add(const struct render_pace *pace, bool test_mode,
                     struct jv *out);

/* Whether it says more than "once by one client". */
bool render_pace_is_eager(const struct render_pace *pace);

#endif
