/* One attempt under the executor, by the child contract (common/child.h). */
#ifndef PITWALL_LOAD_ATTEMPT_H
#define PITWALL_LOAD_ATTEMPT_H

#include "load/options.h"

/* From READY to DONE on the descriptors of the contract. What fails is reported
 * there as FAILED and returned too. */
CHECKED enum err attempt_run(const struct options *options, struct why *why);

#endif
