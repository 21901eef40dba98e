/* A checkpoint: start, duration, how far back the one before it begins, what
 * it is for (a byte), and pools:
 *
 *     n pools * (class number, n values * (its number, the value))
 */
#include "agent/watch/jfr_pool.h"

#include <string.h>

/* Netty's own threads, those of Elasticsearch and OpenSearch by version. */
bool jfr_pool_worker_name(const char *name, size_t len)
{
    static const char *const words[] = {"EventLoop", "eventloop", "http_worker",
                                        "http_server_worker",
                                        "transport_worker"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (len && memmem(name, len, words[i], strlen(words[i])))
            return true;
    return false;
}

bool jfr_pool_young_name(const char *name, size_t len)
{
    static const char *const young[] = {"G1New", "DefNew", "ParNew",
                                        "ParallelScavenge"};
    for (size_t i = 0; i < sizeof young / sizeof *young; i++)
        if (strlen(young[i]) == len && !memcmp(young[i], name, len))
            return true;
    return false;
}

static void take_thread(struct jfr_pool *pool, uint64_t number,
                        const struct jfr_values *v)
{
    if (number >= JFR_POOL_THREADS)
        return;
    uint8_t bit = (uint8_t)(1u << (number % 8));
    if (jfr_pool_worker_name(v->text[JFR_SLOT_JAVA_NAME],
                             v->len[JFR_SLOT_JAVA_NAME]))
        pool->worker[number / 8] |= bit;
    else
        pool->worker[number / 8] &= (uint8_t)~bit;
}

/* A value's class has one field at least, so that each takes a byte. */
static void take_values(struct jfr_pool *pool, const struct jfr_types *types,
                        const struct jfr_class *class, struct jfr_bytes *b)
{
    bool threads = class == jfr_types_named(types, "java.lang.Thread");
    bool names = class == jfr_types_named(types, "jdk.types.GCName");
    struct jfr_values v;
    for (uint64_t n = jfr_bytes_number(b); n && !b->bad; n--) {
        uint64_t number = jfr_bytes_number(b);
        jfr_types_value(types, class, b, &v);
        if (threads && !b->bad)
            take_thread(pool, number, &v);
        if (names && !b->bad && number < JFR_POOL_COLLECTORS)
            pool->young[number] = jfr_pool_young_name(v.text[JFR_SLOT_NAME],
                                                      v.len[JFR_SLOT_NAME]);
    }
}

void jfr_pool_read(struct jfr_pool *pool, const struct jfr_types *types,
                   const uint8_t *data, size_t len, int64_t *back)
{
    struct jfr_bytes b = {data, data + len, false};
    (void)jfr_bytes_number(&b); /* start */
    (void)jfr_bytes_number(&b); /* duration */
    *back = (int64_t)jfr_bytes_number(&b);
    (void)jfr_bytes_u8(&b);
    for (uint64_t n = jfr_bytes_number(&b); n && !b.bad; n--) {
        const struct jfr_class *class =
            jfr_types_numbered(types, jfr_bytes_number(&b));
        if (!class)
            return;
        take_values(pool, types, class, &b);
    }
}

bool jfr_pool_worker(const struct jfr_pool *pool, uint64_t thread)
{
    return thread < JFR_POOL_THREADS &&
           (pool->worker[thread / 8] >> (thread % 8) & 1);
}

bool jfr_pool_young(const struct jfr_pool *pool, uint64_t collector)
{
    return collector < JFR_POOL_COLLECTORS && pool->young[collector];
}
