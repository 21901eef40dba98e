/* One change of the machine as the restore journal keeps it, and the list of
 * those that are not undone. Pure: records are bytes, the current value and the
 * boot are values. See control.md's rules in journal.h.
 *
 * A record, little-endian: u32 length of what follows the crc, u32 crc32c of
 * it, u64 seq, u64 incarnation, u64 token, 36 bytes of boot id, u8 kind, u8
 * state, u8 length each of target, old and new, then these three. */
#ifndef PITWALL_AGENT_EXECUTOR_CHANGE_H
#define PITWALL_AGENT_EXECUTOR_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define CHANGE_TARGET_MAX 96u  /* with its end */
#define CHANGE_VALUE_MAX  128u /* with its end, as SYSCTL_VALUE_MAX */
#define CHANGE_RECORD_MAX 512u
#define CHANGES_MAX       64u /* at one time */

/* SYSCTL: target is its name; NIC: "eth0 mtu" (nic_knob.h); SYSFS: a path. */
enum change_kind {
    CHANGE_SYSCTL = 1,
    CHANGE_NIC,
    CHANGE_SYSFS,
    CHANGE_KIND_LAST
};

/* intent -> applied -> undoing -> undone; from any of the first three: drift
 * (somebody else has changed it since) -> released (an operator knows). */
enum change_state {
    CHANGE_INTENT = 1,
    CHANGE_APPLIED,
    CHANGE_UNDOING,
    CHANGE_UNDONE,
    CHANGE_DRIFT,
    CHANGE_RELEASED,
    CHANGE_STATE_LAST
};

struct change {
    uint64_t seq, incarnation, token;
    char boot_id[37];
    enum change_kind kind;
    enum change_state state;
    char target[CHANGE_TARGET_MAX];
    char old[CHANGE_VALUE_MAX], new[CHANGE_VALUE_MAX];
};

struct changes {
    struct change items[CHANGES_MAX]; /* not undone, in the order of seq */
    unsigned n;
    uint64_t seq; /* of the newest record */
};

/* What undoing a change means now. */
enum change_verdict {
    CHANGE_WRITE_OLD, /* the value is ours: put the old one back */
    CHANGE_NOTHING,   /* the old one stands already */
    CHANGE_FORGET,    /* the machine was started anew since: it is gone */
    CHANGE_LEAVE      /* the value is somebody else's: drift */
};

/* Encode; its texts fit. Returns the record's bytes. */
size_t change_encode(const struct change *c, uint8_t buf[CHANGE_RECORD_MAX]);

/* Decode the record that data begins with; *used: its bytes.
 * ERR_CORRUPT: none does, what is wrong is in the text. */
CHECKED enum err change_decode(const uint8_t *data, size_t len,
                               struct change *out, size_t *used,
                               struct why *why);

/* Let a record happen to the list. Its seq must follow the newest, its state
 * that of the same target: else ERR_STATE. ERR_NOSPACE: CHANGES_MAX are there.
 * On failure the list is as before. */
CHECKED enum err changes_take(struct changes *list, const struct change *record,
                              struct why *why);

/* A whole journal into an empty list; *good: bytes up to where it can be read.
 * What follows is at most one torn record or zeros: ERR_OK, for its change was
 * never begun. ERR_CORRUPT: more than that follows, list has what came before
 * it. */
CHECKED enum err changes_replay(struct changes *list, const uint8_t *data,
                                size_t len, size_t *good, struct why *why);

/* The change of this target; NULL: there is none. Valid until changes_take. */
const struct change *changes_find(const struct changes *list,
                                  enum change_kind kind, const char *target);

/* How to undo c on a machine of this boot, where its value is current. */
enum change_verdict change_verdict(const struct change *c, const char *boot_id,
                                   const char *current);

/* Words: "sysctl", "applied". */
const char *change_kind_name(enum change_kind kind);
const char *change_state_name(enum change_state state);

#endif
