/* A plan's measured steps as works, with the command line's wishes. */
#ifndef PITWALL_LOAD_STEP_H
#define PITWALL_LOAD_STEP_H

#include "load/options.h"
#include "load/work.h"

/* Make a step of a plan's, its works in works [plan->n_tasks], which it then
 * points to; zero at first.
 * Errors  ERR_USAGE: an option that does not fit; ERR_NOMEM.
 * Owns    the works' bodies and streams, for step_fini. */
CHECKED enum err step_make(struct step *step, struct work *works,
                           const struct plan_step *plan,
                           const struct options *options, struct why *why);
void step_fini(struct step *step);

/* The command line's times for one work: all that run side by side have them,
 * as under an agent. */
void step_retime(struct work *w, const struct options_load *l);

/* The command line's clients and rate for one work. ERR_USAGE. */
CHECKED enum err step_overrule(struct work *w, const struct options_load *l,
                               struct why *why);

/* Render a task's bodies for its work. Errors as body_make. */
CHECKED enum err step_render(struct work *w, const struct plan *plan,
                             const struct plan_task *task,
                             const struct body_config *config, struct why *why);

#endif
