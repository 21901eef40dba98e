/* Pauses as a thread outside the collector feels them: it sleeps a millisecond,
 * asks to be managed, and records how late that was granted (jHiccup's method).
 * The second source beside the collector's own figures. */
#ifndef PITWALL_TARGET_HICCUP_H
#define PITWALL_TARGET_HICCUP_H

#include "common/err.h"
#include "common/hist.h"
#include "target/heap/heap.h"
#include "target/window.h"

struct hiccup;

/* Start the thread; it records within the window (borrowed) alone, and anew
 * when that is set again. Owns: *out, for hiccup_close. */
CHECKED enum err hiccup_open(struct hiccup **out, struct heap *heap,
                             const struct window *window, struct why *why);

/* Stop recording and wait for the thread's end. */
void hiccup_stop(struct hiccup *h);

/* What was recorded, ns; valid until hiccup_close, once stopped. */
const struct hist *hiccup_hist(const struct hiccup *h);

/* hiccup_stop, then free. NULL is fine. */
void hiccup_close(struct hiccup *h);

#endif
