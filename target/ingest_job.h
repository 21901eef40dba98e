/* One bulk request being processed: what ingest.c and ingest_index.c share. */
#ifndef PITWALL_TARGET_INGEST_JOB_H
#define PITWALL_TARGET_INGEST_JOB_H

#include "target/bulk.h"
#include "target/ingest.h"
#include "target/item.h"

struct job {
    struct ingest *in;
    struct bulk lines;
    struct reply *reply;
    struct bulk_action action;
    /* Names of the URL as the inside of JSON strings. */
    char url_index[ROUTE_NAME_MAX * 6], url_type[ROUTE_NAME_MAX * 6];
    size_t url_index_len, url_type_len;
    /* The index of the item before, and what is wrong with it (NULL: fine). */
    char last[ROUTE_NAME_MAX + 1];
    size_t last_len;
    bool last_known;
    const char *last_fault;
    bool errors; /* an item was refused */
    struct why why;
    /* With an index. */
    struct index *index;        /* of the item before, held by batch */
    struct batch_text names[2]; /* the item before's index and type */
    struct batch batch;
    unsigned status; /* of the whole answer */
};

enum step { STEP_NEXT, STEP_END, STEP_REFUSED, STEP_LIMIT, STEP_OOM };

/* The item's names: the line's own, else the URL's; index_len 0: neither has
 * one. */
struct item job_names(const struct job *j);

/* What is wrong with a document, as Elasticsearch's mapper reports it; cause
 * (size bytes) holds its text. */
struct item_error job_fault(enum bulk_json fault, size_t at, char *cause,
                            size_t size);

/* Refuse the request as a whole for this reason. */
enum step job_refuse(struct job *j, const char *reason);

/* What parsing a line leaves on the heap; false: out of memory. */
bool job_garbage(struct job *j, size_t bytes);

/* Append an item's text to the answer. */
enum step job_put(struct job *j, char *text, size_t len);

/* With an index: hold the operation at hand until the end of the request, then
 * commit all and write their items. STEP_LIMIT: the native limit. */
enum step job_keep(struct job *j);
enum step job_commit(struct job *j);
void job_drop(struct job *j);

#endif
