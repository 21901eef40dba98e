/* A /tmp for one cage: programs that want to write there by a fixed name (Java
 * virtual machines do) can, and nothing of it is left behind. */
#ifndef PITWALL_AGENT_EXECUTOR_CAGE_TMP_H
#define PITWALL_AGENT_EXECUTOR_CAGE_TMP_H

#define CAGE_TMP_ENTRIES_MAX 1000u /* of the machine's /tmp that are shown */

/* Cover /tmp of the calling process's own mount namespace by an empty folder in
 * memory (64 MiB at most). What stands in the machine's /tmp now is in it as
 * it was: read-only where it was, writable folders writable; but for what Java
 * virtual machines keep there by their numbers. Returns 0, or errno, then /tmp
 * is the machine's. A /tmp that is no folder is left alone. */
int cage_tmp_make(void);

#endif
