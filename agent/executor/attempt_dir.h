/* An attempt's folder STATE/attempts/EID-TID-ATT, the only memory of it that
 * outlives the executor:
 *
 *   children   who they are, until it is sealed (children.h)
 *   spool      what the children's pipes gave
 *   manifest   once sealed: how much that must be, and the outcome
 *   stored     once acknowledged: the manifest under its last name, as a
 *              tombstone; the spool is gone
 *   work/      the children's working folder, gone once sealed */
#ifndef PITWALL_AGENT_EXECUTOR_ATTEMPT_DIR_H
#define PITWALL_AGENT_EXECUTOR_ATTEMPT_DIR_H

#include "agent/executor/manifest.h"
#include "agent/executor/spool_file.h"

struct attempt_id {
    char eid[37];
    uint32_t tid, att;
};

#define ATTEMPT_DIR_NAME_MAX 64u

/* Name of the folder. ERR_INVALID: eid is not of letters, digits and hyphens,
 * or a number is 0. */
CHECKED enum err attempt_dir_name(const struct attempt_id *id,
                                  char name[ATTEMPT_DIR_NAME_MAX],
                                  struct why *why);

/* Make the folder in attempts_fd with an empty spool and work/, durably.
 * *dir is the folder, *spool the spool's descriptor, both the caller's.
 * ERR_EXISTS: it is there already; ERR_NOSPACE: no room for its results. */
CHECKED enum err attempt_dir_create(int attempts_fd, const char *name, int *dir,
                                    int *spool, struct why *why);

/* Make the spool durable, remove work/, then write the manifest. */
CHECKED enum err attempt_dir_seal(int dir, const struct spool_file *spool,
                                  const struct manifest *m, struct why *why);

/* State (sealed or stored) and manifest of a folder that nobody works in.
 * ERR_NOTFOUND: no such attempt; ERR_CORRUPT: its manifest is damaged. */
CHECKED enum err attempt_dir_look(int attempts_fd, const char *name,
                                  enum attempt_state *state, struct manifest *m,
                                  struct why *why);

/* Open the spool of a sealed attempt for reading; *fd is the caller's. */
CHECKED enum err attempt_dir_open_spool(int attempts_fd, const char *name,
                                        int *fd, struct why *why);

/* The controller has committed so many bytes of this crc: delete the spool,
 * keep the tombstone. Doing it twice is ERR_OK. ERR_INVALID: other bytes or
 * crc than the manifest's; ERR_STATE: not sealed; ERR_NOTFOUND. */
CHECKED enum err attempt_dir_ack(int attempts_fd, const char *name,
                                 uint64_t bytes, uint32_t crc, struct why *why);

/* At start, before anything else: seal every unsealed attempt as aborted with
 * the whole records that its spool has, finish half-done deletions, drop
 * tombstones older than a week. *sealed counts the first kind. */
CHECKED enum err attempt_dir_recover(int attempts_fd, unsigned *sealed,
                                     struct why *why);

#endif
