#include "results/bound_count.h"

#include <stdio.h>

#include "results/bound.h"

void bound_count_add(struct bound_count *count, enum attempt_bound bound,
                     bool shared)
{
    count->n[bound]++;
    count->all++;
    count->shared += shared;
}

/* The most frequent of those below n trials, or of n trials behind `after`. */
static size_t next(const struct bound_count *count, size_t n, size_t after)
{
    size_t best = ATTEMPT_N_BOUNDS;
    for (size_t i = 0; i < ATTEMPT_N_BOUNDS; i++) {
        bool due = count->n[i] < n || (count->n[i] == n && i > after);
        if (due && count->n[i] &&
            (best == ATTEMPT_N_BOUNDS || count->n[i] > count->n[best]))
            best = i;
    }
    return best;
}

const char *bound_count_show(const struct bound_count *count, char *buf,
                             size_t size)
{
    size_t used = 0, n = count->all + 1, i = 0;
    buf[0] = '\0';
    while ((i = next(count, n, i)) != ATTEMPT_N_BOUNDS && used < size) {
        enum attempt_bound bound = (enum attempt_bound)i;
        bool star = count->shared && bound_is_of_host(bound);
        n = count->n[i];
        used += (size_t)snprintf(buf + used, size - used, "%s%s%s",
                                 used ? ", " : "", bound_name(bound),
                                 star ? "*" : "");
        if (n < count->all && used < size)
            used += (size_t)snprintf(buf + used, size - used, " %zu", n);
    }
    return buf;
}
