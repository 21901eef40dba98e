#include "target/ingest.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "target/answer.h"
#include "target/ingest_job.h"
#include "target/parse.h"

static size_t escape(const char *name, char *to, size_t size)
{
    struct out o = out_to(to, size);
    out_escaped(&o, name, strlen(name));
    return o.len;
}

struct item job_names(const struct job *j)
{
    const struct bulk_action *a = &j->action;
    struct item i = {a->op,        a->index,    a->type,  a->id,
                     a->index_len, a->type_len, a->id_len};
    if (!i.index_len) {
        i.index = j->url_index;
        i.index_len = j->url_index_len;
    }
    if (!i.type_len) {
        i.type = j->url_type_len ? j->url_type : "_doc";
        i.type_len = j->url_type_len ? j->url_type_len : 4;
    }
    return i;
}

/* The item's names; an id is made if needed. */
static struct item name_item(struct job *j, char id[20])
{
    struct item i = job_names(j);
    if (!i.id_len) {
        item_make_id(&j->in->id_counter, j->in->id_seed, id);
        i.id = id;
        i.id_len = 20;
    }
    return i;
}

/* Make sure that the item's index exists; NULL or what is wrong. */
static const char *open_index(struct job *j, const struct item *i)
{
    if (j->last_known && i->index_len == j->last_len &&
        !memcmp(i->index, j->last, i->index_len))
        return j->last_fault;
    j->last_len =
        i->index_len < sizeof j->last ? i->index_len : sizeof j->last - 1;
    memcpy(j->last, i->index, j->last_len);
    j->last[j->last_len] = '\0';
    j->last_known = true;
    if (route_index_name_good(j->last, &j->last_fault) &&
        catalog_add(j->in->catalog, j->last, j->last_len) == ERR_NOSPACE)
        j->last_fault = "too many indices";
    return j->last_fault;
}

/* text has a byte before the item's, for a comma. */
enum step job_put(struct job *j, char *text, size_t len)
{
    bool first = !j->reply->body_len;
    text[0] = ',';
    return reply_put(j->reply, j->in->pages, j->in->mutator, text + first,
                     len + !first)
               ? STEP_NEXT
               : STEP_OOM;
}

/* Add one item, refused or done. */
static enum step add_item(struct job *j, const struct item *i,
                          const struct item_error *error)
{
    char text[ITEM_MAX + 1];
    size_t n =
        error ? item_refused(i, error, text + 1) : item_done(i, text + 1);
    if (error)
        j->reply->docs_failed++;
    else
        j->reply->docs++;
    j->errors |= error != NULL;
    return job_put(j, text, n);
}

struct item_error job_fault(enum bulk_json fault, size_t at, char *cause,
                            size_t size)
{
    if (fault == BULK_JSON_EMPTY)
        return (struct item_error){"mapper_parsing_exception",
                                   "failed to parse, document is empty", NULL,
                                   NULL, 400};
    if (fault == BULK_JSON_NO_OBJECT)
        return (struct item_error){
            "mapper_parsing_exception",
            "Malformed content, must start with an object", NULL, NULL, 400};
    (void)snprintf(cause, size, "%s at byte %zu", bulk_json_text(fault), at);
    return (struct item_error){"mapper_parsing_exception", "failed to parse",
                               "json_parse_exception", cause, 400};
}

bool job_garbage(struct job *j, size_t bytes)
{
    return !j->in->parse_work ||
           parse_garbage(j->in->mutator, bytes, j->in->parse_work);
}

enum step job_refuse(struct job *j, const char *reason)
{
    (void)err_set(&j->why, ERR_INVALID, "Validation Failed: 1: %s;", reason);
    return STEP_REFUSED;
}

/* The document that belongs to the action, and its item. */
static enum step document(struct job *j)
{
    enum bulk_json fault = BULK_JSON_OK;
    char id[20], cause[96];
    size_t at = 0;
    if (j->action.op != BULK_DELETE) {
        struct bulk_cursor line;
        enum bulk_line l = bulk_next(&j->lines, &line);
        if (l == BULK_LINE_OOM)
            return STEP_OOM;
        if (l == BULK_LINE_NONE)
            return job_refuse(j, "source is missing");
        const uint8_t *begin = line.p, *end = line.end;
        fault = bulk_json_document(&line);
        at = (size_t)(line.p - begin);
        if (!job_garbage(j, (size_t)(end - begin)))
            return STEP_OOM;
    }
    struct item i = name_item(j, id);
    if (!i.index_len)
        return job_refuse(j, "index is missing");
    const char *index_fault = open_index(j, &i);
    if (index_fault) {
        struct item_error e = {"invalid_index_name_exception",
                               "Invalid index name",
                               "illegal_argument_exception", index_fault, 400};
        return add_item(j, &i, &e);
    }
    if (fault) {
        struct item_error e = job_fault(fault, at, cause, sizeof cause);
        return add_item(j, &i, &e);
    }
    return add_item(j, &i, NULL);
}

static enum step next_action(struct job *j, const char **error_type)
{
    struct bulk_cursor line;
    enum bulk_line l = bulk_next(&j->lines, &line);
    if (l == BULK_LINE_OOM || l == BULK_LINE_NONE)
        return l == BULK_LINE_OOM ? STEP_OOM : STEP_END;
    size_t bytes = (size_t)(line.end - line.p);
    enum err e = bulk_action_parse(&j->action, line, j->lines.number, &j->why);
    if (!job_garbage(j, bytes))
        return STEP_OOM;
    if (e == ERR_AGAIN)
        return STEP_NEXT;
    if (e) {
        *error_type = "illegal_argument_exception";
        return STEP_REFUSED;
    }
    enum step s = j->in->indices ? job_keep(j) : document(j);
    heap_poll(j->in->mutator);
    return s;
}

/* Answer a request that is refused as a whole. */
static bool answer_refusal(struct job *j, const char *type, bool close)
{
    char text[4096];
    struct out o = out_to(text, sizeof text);
    answer_error(&o, j->status, type, j->why.text);
    j->reply->docs = j->reply->docs_failed = 0;
    if (!reply_from(j->reply, j->in->pages, j->in->mutator, &o))
        return false;
    reply_seal(j->reply, j->status, "", close);
    return true;
}

static bool answer_items(struct job *j, uint64_t began_ns, bool close)
{
    char lead[96];
    uint64_t took_ms = (clock_mono_ns() - began_ns) / NS_PER_MS;
    if (!reply_put(j->reply, j->in->pages, j->in->mutator, "]}", 2))
        return false;
    (void)snprintf(lead, sizeof lead,
                   "{\"took\":%llu,\"errors\":%s,\"items\":[",
                   (unsigned long long)took_ms, j->errors ? "true" : "false");
    reply_seal(j->reply, j->status, lead, close);
    return true;
}

/* What is wrong with the request as a whole; NULL: nothing yet. */
static const char *check_body(struct job *j, const struct body *body)
{
    if (body->n_parts == 0) {
        (void)err_set(&j->why, ERR_INVALID, "request body is required");
        return "parse_exception";
    }
    if (!bulk_terminated(body, j->in->mutator)) {
        (void)err_set(&j->why, ERR_INVALID,
                      "The bulk request must be terminated by a newline [\\n]");
        return "illegal_argument_exception";
    }
    return NULL;
}

/* After the last line. */
static enum step end_lines(struct job *j)
{
    if (j->in->indices ? !j->batch.n
                       : j->reply->docs + j->reply->docs_failed == 0)
        return job_refuse(j, "no requests added");
    return j->in->indices ? job_commit(j) : STEP_END;
}

static bool answer(struct job *j, enum step s, const char *type,
                   uint64_t began_ns, bool close)
{
    switch (s) {
    case STEP_OOM:
        return false;
    case STEP_REFUSED:
        j->status = 400;
        return answer_refusal(j, type, close);
    case STEP_LIMIT:
        j->status = 429;
        (void)err_set(&j->why, ERR_NOMEM,
                      "the bulk would exceed the limit of native memory "
                      "(--native-limit)");
        return answer_refusal(j, "circuit_breaking_exception", close);
    case STEP_NEXT:
    case STEP_END:
        break;
    }
    return answer_items(j, began_ns, close);
}

bool ingest_bulk(struct ingest *in, const struct body *body,
                 const struct route *route, struct reply *reply, bool close)
{
    uint64_t began_ns = clock_mono_ns();
    struct job j;
    j.in = in;
    j.lines = bulk_begin(body, in->mutator, in->parse_work != 0);
    j.reply = reply;
    j.url_index_len = escape(route->index, j.url_index, sizeof j.url_index);
    j.url_type_len = escape(route->type, j.url_type, sizeof j.url_type);
    j.last_known = j.errors = false;
    j.status = 200;
    j.batch = (struct batch){0};
    j.names[0].p = j.names[1].p = NULL;
    const char *type = check_body(&j, body);
    enum step s = type ? STEP_REFUSED : STEP_NEXT;
    if (!type)
        type = "action_request_validation_exception";
    while (s == STEP_NEXT)
        s = next_action(&j, &type);
    bulk_end(&j.lines);
    if (s == STEP_END)
        s = end_lines(&j);
    bool answered = answer(&j, s, type, began_ns, close);
    if (in->indices)
        job_drop(&j);
    return answered;
}
