#include "target/item.h"

#include <stdio.h>
#include <string.h>

#include "common/rand.h"

/* A text being put together; the caller's buffer is large enough. */
struct writer {
    char *at;
};

static void put(struct writer *w, const char *text, size_t len)
{
    memcpy(w->at, text, len);
    w->at += len;
}

#define PUT(w, literal) put(w, literal, sizeof(literal) - 1)

static void put_text(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

/* {"index":{"_index":"i","_type":"t","_id":"1" */
static void put_names(struct writer *w, const struct item *i)
{
    PUT(w, "{\"");
    put_text(w, bulk_op_name(i->op));
    PUT(w, "\":{\"_index\":\"");
    put(w, i->index, i->index_len);
    PUT(w, "\",\"_type\":\"");
    put(w, i->type, i->type_len);
    PUT(w, "\",\"_id\":");
    if (!i->id_len) {
        PUT(w, "null"); /* it was to be made, had all gone well */
        return;
    }
    PUT(w, "\"");
    put(w, i->id, i->id_len);
    PUT(w, "\"");
}

static const char *outcome(enum bulk_op op)
{
    switch (op) {
    case BULK_UPDATE:
        return ",\"_version\":2,\"result\":\"updated\","
               "\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0},"
               "\"status\":200}}";
    case BULK_DELETE:
        return ",\"_version\":2,\"result\":\"deleted\","
               "\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0},"
               "\"status\":200}}";
    case BULK_INDEX:
    case BULK_CREATE:
        break;
    }
    return ",\"_version\":1,\"result\":\"created\","
           "\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0},"
           "\"status\":201}}";
}

size_t item_done(const struct item *i, char *to)
{
    struct writer w = {to};
    put_names(&w, i);
    put_text(&w, outcome(i->op));
    return (size_t)(w.at - to);
}

size_t item_ended(const struct item *i, const struct item_end *end, char *to)
{
    struct writer w = {to};
    put_names(&w, i);
    w.at += sprintf(w.at,
                    ",\"_version\":%llu,\"result\":\"%s\",\"_shards\":{"
                    "\"total\":1,\"successful\":1,\"failed\":0},"
                    "\"status\":%u}}",
                    (unsigned long long)end->version, end->result, end->status);
    return (size_t)(w.at - to);
}

size_t item_refused(const struct item *i, const struct item_error *e, char *to)
{
    struct writer w = {to};
    put_names(&w, i);
    w.at += sprintf(w.at, ",\"status\":%u,\"error\":{\"type\":\"",
                    e->status ? e->status : 400);
    put_text(&w, e->type);
    PUT(&w, "\",\"reason\":\"");
    put_text(&w, e->reason);
    if (e->cause) {
        PUT(&w, "\",\"caused_by\":{\"type\":\"");
        put_text(&w, e->cause_type);
        PUT(&w, "\",\"reason\":\"");
        put_text(&w, e->cause);
        PUT(&w, "\"}}}}");
    } else {
        PUT(&w, "\"}}}");
    }
    return (size_t)(w.at - to);
}

void item_make_id(uint64_t *counter, uint64_t seed, char id[20])
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
        "uvwxyz0123456789-_";
    struct rand r = {seed ^ (*counter)++};
    uint64_t first = rand_next(&r), second = rand_next(&r);
    for (int i = 0; i < 10; i++) {
        id[i] = digits[first >> (6 * i) & 63];
        id[10 + i] = digits[second >> (6 * i) & 63];
    }
}
