/* The watch's conversation with the target: is it ready, the window for it,
 * its statistics each second. One exchange at a time, none waited for; turns
 * are taken whenever the loop comes round. */
#ifndef PITWALL_AGENT_WATCH_DIALOG_H
#define PITWALL_AGENT_WATCH_DIALOG_H

#include "agent/watch/emit.h"
#include "agent/watch/poll.h"
#include "agent/watch/stats_map.h"
#include "common/measure.h"

struct dialog;

#define DIALOG_SAID_MAX 400u

/* Whom to talk to, and how; texts are borrowed. */
struct dialog_plan {
    const char *url;        /* the target's base */
    bool stats;             /* ask for statistics at all */
    const char *ready;      /* NULL: pitwall-target, which is told the window
                               and has statistics of our own shape */
    bool window;            /* with ready: tell the window as well */
    const char *expect;     /* text in the answer to ready; NULL: any */
    const char *stats_path; /* with ready: statistics by map; NULL: none */
    const struct stats_map *map;
};

/* Owns: *out, for dialog_close; NULL on failure. */
CHECKED enum err dialog_open(struct dialog **out,
                             const struct dialog_plan *plan, struct why *why);
void dialog_close(struct dialog *dialog);

/* Take what has come and begin what is due. Statistics become records. */
void dialog_turn(struct dialog *dialog, uint64_t now_ns, struct emit *emit);

/* When the next turn has something to do that no descriptor announces;
 * UINT64_MAX when nothing. */
uint64_t dialog_due_ns(const struct dialog *dialog);

/* Has the target answered its readiness URL with 2xx, as it was to, and, where
 * there is a map, statistics that can be read? */
bool dialog_ready(const struct dialog *dialog);

/* While it is not: what was said last, "" for nothing yet; *hopeless: its
 * statistics have been wrong for so long that they will stay so. */
const char *dialog_said(const struct dialog *dialog, uint64_t now_ns,
                        bool *hopeless);

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
