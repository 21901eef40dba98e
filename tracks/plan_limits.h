/* Bounds of a plan (plan.h): what may come from another machine has a size. */
#ifndef PITWALL_TRACKS_PLAN_LIMITS_H
#define PITWALL_TRACKS_PLAN_LIMITS_H

#include <stddef.h>

#define PLAN_BYTES_MAX      ((size_t)256 << 10)
#define PLAN_NAME_MAX       63 /* bytes of a track, challenge, task, index */
#define PLAN_CORPORA_MAX    16
#define PLAN_DOCUMENTS_MAX  64 /* of one corpus */
#define PLAN_STEPS_MAX      256
#define PLAN_TASKS_MAX      16 /* of one step */
#define PLAN_REQUESTS_MAX   64 /* of one task or stream */
#define PLAN_STREAMS_MAX    16 /* of one task */
#define PLAN_IGNORE_MAX     8
#define PLAN_PAGES_MAX      1000000000 /* of a scroll: "all" */
#define PLAN_CLIENTS_MAX    10000
#define PLAN_BULK_DOCS_MAX  1000000
#define PLAN_SIZES_MAX      16   /* of one task's bulks */
#define PLAN_HEADERS_MAX    64   /* of one task */
#define PLAN_HEADER_MAX     8192 /* bytes of one */
#define PLAN_LABELS_MAX     1000 /* bytes of a task's tags, and of its meta */
#define PLAN_DOCS_MAX       1000000000
#define PLAN_ITERATIONS_MAX 1000000000
#define PLAN_PATH_MAX       4096
#define PLAN_QUERY_MAX      1000
#define PLAN_TIMEOUT_NS     60000000000ull /* as Rally */
#define PLAN_TIME_MAX_NS    (24ull * 3600 * 1000000000)

#endif
