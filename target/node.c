#include "target/node.h"

#include <stdlib.h>
#include <unistd.h>

void node_wake(struct node *n)
{
    uint64_t one = 1;
    /* It fails only when the counter is full, and then it is awake. */
    if (write(n->wake_fd, &one, sizeof one) < 0)
        return;
}

void node_oom(struct node *n)
{
    atomic_store(&n->oom, true);
    node_wake(n);
}

void node_totals(const struct node *n, struct counts *out)
{
    *out = (struct counts){0};
    for (size_t i = 0; i < n->n_tallies; i++)
        tally_sum(n->tallies[i], out);
}
