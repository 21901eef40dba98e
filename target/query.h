/* The body of a search: what is matched, and which hits are wanted. Of
 * Elasticsearch's queries match_all, match_none, term, terms, match,
 * match_phrase, bool and constant_score become one expression of FTS5; every
 * other is refused by name. */
#ifndef PITWALL_TARGET_QUERY_H
#define PITWALL_TARGET_QUERY_H

#include "target/fields.h"

#define QUERY_WINDOW_MAX  10000u /* index.max_result_window */
#define QUERY_CLAUSES_MAX 1024u
#define QUERY_DEPTH_MAX   16u
#define QUERY_BYTES_MAX   (1u << 20) /* of a body */

enum query_kind { QUERY_ALL, QUERY_NONE, QUERY_EXPR };

struct query {
    enum query_kind kind;
    char *expr;   /* QUERY_EXPR: FTS5's language; the query's */
    double score; /* what every hit scores, or below 0: its bm25 */
    uint32_t from, size;
    bool source; /* hits carry their documents */
    bool by_doc; /* "sort": "_doc", which only a scroll has */
};

/* Read a body (len 0: everything matches). fields: of the index. ERR_INVALID:
 * no JSON, no query, or malformed; ERR_UNSUPPORTED: a query or key that this
 * server does not have; ERR_RANGE: too many clauses, levels or hits. Owns:
 * query_free. */
CHECKED enum err query_parse(struct query *q, const struct fields *fields,
                             const char *text, size_t len, struct why *why);
void query_free(struct query *q);

#endif
