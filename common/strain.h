/* Whether a load generator was itself the limit, by what it knew of itself.
 * Shared by results/ and pitwall-load, so that both say the same of the same
 * figures. Pure. Any of
 * - its busiest thread had a CPU for 80 % of the window or more;
 * - operations started 1 ms or more after they could have (p99 of at least
 *   100);
 * - its loop was away from its sockets for 1 ms or more at a time in a quarter
 *   of the window, and what was ready then waited, on average, a quarter of the
 *   mean service time or more: it had no CPU, or too much to do at once. */
#ifndef PITWALL_COMMON_STRAIN_H
#define PITWALL_COMMON_STRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRAIN_CPU_SHARE_MAX 0.8 /* of one thread */

struct strain_figures {
    uint64_t window_ns, cpu_max_ns; /* of the busiest thread */
    uint64_t starts, late_p99_ns;
    uint64_t lag_p75_ns, lag_mean_ns; /* of the loop: away, waited for */
    double service_mean_ns;           /* 0: not known */
};

/* The figures as the rules see them. */
struct strain {
    double cpu_share, wait_share;
    uint64_t late_ns, lag_ns;
    bool cpu, late, wait; /* the rule holds */
};

/* Hold the figures against the rules. */
struct strain strain_of(const struct strain_figures *figures);

/* Any rule holds. */
bool strain_is_limit(const struct strain *s);

/* Write every rule that holds, or (all) what each one saw, to buf, each after
 * "; ". Returns the length, below size. */
size_t strain_tell(const struct strain *s, bool all, char *buf, size_t size);

#endif
