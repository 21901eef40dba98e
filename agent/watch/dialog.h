/* The watch's conversation with the target: is it ready, the window for it,
 * its statistics each second. One exchange at a time, none waited for; turns
 * are taken whenever the loop comes round. */
#ifndef PITWALL_AGENT_WATCH_DIALOG_H
#define PITWALL_AGENT_WATCH_DIALOG_H

#include "agent/watch/emit.h"
#include "agent/watch/poll.h"
#include "common/measure.h"

struct dialog;

/* url: the target's base. stats: ask for statistics at all.
 * Owns: *out, for dialog_close; NULL on failure. */
CHECKED enum err dialog_open(struct dialog **out, const char *url, bool stats,
                             struct why *why);
void dialog_close(struct dialog *dialog);

/* Take what has come and begin what is due. Statistics become records. */
void dialog_turn(struct dialog *dialog, uint64_t now_ns, struct emit *emit);

/* When the next turn has something to do that no descriptor announces;
 * UINT64_MAX when nothing. */
uint64_t dialog_due_ns(const struct dialog *dialog);

/* Has the target answered its readiness URL with 2xx? */
bool dialog_ready(const struct dialog *dialog);

/* Nothing under way, nothing waiting. */
bool dialog_quiet(const struct dialog *dialog);

/* Tell the target the window, as soon as may be. */
void dialog_window(struct dialog *dialog, const struct measure_window *window);

/* Ask for the statistics: as the base of differences, or for the sample of
 * this second. One that is still waiting for its turn is given up, counted. */
void dialog_base(struct dialog *dialog);
void dialog_sample(struct dialog *dialog, int64_t second);

/* What became of it all: window, stats, failures. */
void dialog_facts(const struct dialog *dialog, struct emit *emit);

/* For poll_wait and the socket filter. */
struct poll *dialog_poll(struct dialog *dialog);

#endif
