#include "agent/executor/tenure.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/log.h"

void tenure_undo(struct executor *x)
{
    struct why why = {0};
    if (!live_busy(&x->live) && host_undo(&x->host, &why))
        log_error("held: %s", why.text);
}

void tenure_tick(struct executor *x)
{
    if (x->lease.held && !lease_left_ns(&x->lease, clock_boot_ns())) {
        char text[100];
        (void)snprintf(text, sizeof text, "the lease of %s expired",
                       x->lease.owner);
        log_warn("lease expired owner=%s", x->lease.owner);
        if (live_busy(&x->live))
            live_tell(&x->live, EVENT_STOP, text);
        lease_release(&x->lease);
        tenure_undo(x);
    }
    if (live_busy(&x->live)) {
        live_tell(&x->live, EVENT_TICK, NULL);
        live_trim(&x->live, clock_mono_ns());
    }
}
