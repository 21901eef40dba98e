/* One action line of a bulk body: {"index":{"_index":"i","_id":"1"}}. Names and
 * ids are kept as they stand in the JSON text, escapes and all, since they are
 * only given back. */
#ifndef PITWALL_TARGET_BULK_ACTION_H
#define PITWALL_TARGET_BULK_ACTION_H

#include "common/err.h"
#include "target/bulk_json.h"

#define BULK_NAME_MAX 255u
#define BULK_ID_MAX   512u /* as Elasticsearch's */

enum bulk_op { BULK_INDEX, BULK_CREATE, BULK_UPDATE, BULK_DELETE };

struct bulk_action {
    enum bulk_op op;
    uint16_t index_len, type_len, id_len; /* 0: not given */
    char index[BULK_NAME_MAX];
    char type[BULK_NAME_MAX];
    char id[BULK_ID_MAX];
};

/* Parse a line (line_number from 1, for the message). ERR_INVALID with the
 * reason in Elasticsearch's words; ERR_AGAIN: the line is blank. */
CHECKED enum err bulk_action_parse(struct bulk_action *a, struct bulk_cursor c,
                                   size_t line_number, struct why *why);

/* "index", "create", "update", "delete". */
const char *bulk_op_name(enum bulk_op op);

#endif
