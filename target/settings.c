#include "target/settings.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/units.h"
#include "target/creation.h"
#include "target/heap/heap.h"

static uint32_t cpus(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n < (int)SETTINGS_THREADS_MAX ? (uint32_t)n : SETTINGS_THREADS_MAX;
}

void settings_default(struct settings *s)
{
    *s = (struct settings){.host = "127.0.0.1",
                           .port = 9200,
                           .heap_bytes = 1u << 30,
                           .predictor = {.min = 65536,
                                         .initial = 65536,
                                         .max = 65536,
                                         .rules = PREDICTOR_4_1_48,
                                         .reads_per_wakeup = 1},
                           .initial_buffer = 128,
                           .max_components = 1024,
                           .bulk_queue = 200,
                           .shards = 5,
                           .static_bytes = 64};
    s->threads = s->bulk_threads = cpus();
}

/* An option's name and value, for the messages. */
struct given {
    const char *name, *value;
};

static enum err refuse(struct given g, const char *accepted, struct why *why)
{
    return err_set(why, ERR_USAGE, "--%s \"%s\": accepted are %s", g.name,
                   g.value, accepted);
}

static enum err wrap(struct given g, enum err e, struct why *why)
{
    return e ? err_wrap(why, e, "--%s", g.name) : e;
}

static enum err set_bytes(struct given g, uint64_t *to, struct why *why)
{
    return wrap(g, units_bytes(g.value, to, why), why);
}

static enum err set_number(struct given g, uint32_t min, uint32_t max,
                           uint32_t *to, struct why *why)
{
    char accepted[64];
    uint64_t n;
    (void)snprintf(accepted, sizeof accepted, "%u to %u", min, max);
    if (units_u64(g.value, max, &n, NULL) || n < min)
        return refuse(g, accepted, why);
    *to = (uint32_t)n;
    return ERR_OK;
}

/* Which of the words (NULL-terminated) the value is. */
static enum err set_word(struct given g, const char *const *words, int *to,
                         struct why *why)
{
    char accepted[128] = "";
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(accepted);
        if (!strcmp(g.value, words[i])) {
            *to = i;
            return ERR_OK;
        }
        (void)snprintf(accepted + used, sizeof accepted - used, "%s%s",
                       i ? ", " : "", words[i]);
    }
    return refuse(g, accepted, why);
}

/* ADDRESS:PORT or [ADDRESS]:PORT. */
static enum err set_listen(struct given g, struct settings *s, struct why *why)
{
    static const char accepted[] = "ADDRESS:PORT, such as 127.0.0.1:9200";
    const char *colon = strrchr(g.value, ':'), *host = g.value;
    uint64_t port;
    if (!colon || units_u64(colon + 1, 65535, &port, NULL))
        return refuse(g, accepted, why);
    size_t len = (size_t)(colon - host);
    if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    }
    if (len == 0 || len >= sizeof s->host)
        return refuse(g, accepted, why);
    memcpy(s->host, host, len);
    s->host[len] = '\0';
    s->port = (uint16_t)port;
    return ERR_OK;
}

static enum err set_data(struct given g, struct settings *s, struct why *why)
{
    struct stat st;
    if (stat(g.value, &st))
        return err_errno(why, errno, "--data %s", g.value);
    if (!S_ISDIR(st.st_mode) || strlen(g.value) >= sizeof s->data)
        return refuse(g, "directories", why);
    memcpy(s->data, g.value, strlen(g.value) + 1);
    return ERR_OK;
}

static enum err set_slow(struct given g, struct settings *s, struct why *why)
{
    uint64_t ns = 0;
    double share = 0;
    bool refused = strchr(g.value, '%') ? units_ratio(g.value, &share, NULL)
                                        : units_duration(g.value, &ns, NULL) ||
                                              ns > SETTINGS_SLOW_MAX_NS;
    if (refused)
        return refuse(g, "times up to 60s and shares up to 100%, 0 is none",
                      why);
    s->slow_ns = ns;
    s->slow_share = share;
    return ERR_OK;
}

/* A file to be; opening it later tells what is wrong with it. */
static enum err set_file(struct given g, char to[1024], struct why *why)
{
    if (!g.value[0] || strlen(g.value) >= 1024)
        return refuse(g, "paths of 1 to 1023 bytes", why);
    memcpy(to, g.value, strlen(g.value) + 1);
    return ERR_OK;
}

/* Options whose value is one of a few words. */
static enum err set_worded(struct given g, struct settings *s, struct why *why)
{
    static const char *const rules[] = {"4.1.7", "4.1.48", NULL};
    static const char *const on_off[] = {"off", "on", NULL};
    static const char *const modes[] = {"ingest", "static", NULL};
    static const char *const indices[] = {"none", "fts", NULL};
    static const char *const reads[] = {"1", "16", NULL};
    static const char *const touched[] = {"young", "all", NULL};
    static const char *const durable[] = {"async", "request", NULL};
    int word = 0;
    enum err e = ERR_NOTFOUND;
    if (!strcmp(g.name, "netty-rules")) {
        e = set_word(g, rules, &word, why);
        s->predictor.rules = (enum predictor_rules)word;
    } else if (!strcmp(g.name, "body-copy")) {
        e = set_word(g, on_off, &word, why);
        s->body_copy = word;
    } else if (!strcmp(g.name, "mode")) {
        e = set_word(g, modes, &word, why);
        s->mode = (enum settings_mode)word;
    } else if (!strcmp(g.name, "pretouch")) {
        e = set_word(g, touched, &word, why);
        s->pretouch_all = word;
    } else if (!strcmp(g.name, "index")) {
        e = set_word(g, indices, &word, why);
        s->index = word;
    } else if (!strcmp(g.name, "durability")) {
        e = set_word(g, durable, &word, why);
        s->durable = word;
    } else if (!strcmp(g.name, "reads-per-wakeup")) {
        e = set_word(g, reads, &word, why);
        s->predictor.reads_per_wakeup = word ? 16 : 1;
    }
    return e == ERR_NOTFOUND ? err_set(why, e, "no option --%s", g.name) : e;
}

enum err settings_set(struct settings *s, const char *name, const char *value,
                      struct why *why)
{
    struct given g = {name, value};
    if (!strcmp(name, "listen"))
        return set_listen(g, s, why);
    if (!strcmp(name, "heap"))
        return set_bytes(g, &s->heap_bytes, why);
    if (!strcmp(name, "young"))
        return set_bytes(g, &s->young_bytes, why);
    if (!strcmp(name, "min-tlab"))
        return set_bytes(g, &s->min_tlab_bytes, why);
    if (!strcmp(name, "predictor"))
        return wrap(g, predictor_parse(value, &s->predictor, why), why);
    if (!strcmp(name, "initial-buffer"))
        return set_number(g, 1, 1u << 20, &s->initial_buffer, why);
    if (!strcmp(name, "max-components"))
        return set_number(g, 2, 1u << 20, &s->max_components, why);
    if (!strcmp(name, "threads"))
        return set_number(g, 1, SETTINGS_THREADS_MAX, &s->threads, why);
    if (!strcmp(name, "bulk-threads"))
        return set_number(g, 1, SETTINGS_THREADS_MAX, &s->bulk_threads, why);
    if (!strcmp(name, "bulk-queue"))
        return set_number(g, 1, 1u << 20, &s->bulk_queue, why);
    if (!strcmp(name, "parse-work"))
        return set_number(g, 0, SETTINGS_PARSE_MAX, &s->parse_work, why);
    if (!strcmp(name, "shards"))
        return set_number(g, 1, CREATION_SHARDS_MAX, &s->shards, why);
    if (!strcmp(name, "native-limit"))
        return set_bytes(g, &s->native_limit_bytes, why);
    if (!strcmp(name, "static-bytes"))
        return set_number(g, 0, SETTINGS_STATIC_MAX, &s->static_bytes, why);
    if (!strcmp(name, "stall"))
        return wrap(g, stall_parse(value, &s->stall, why), why);
    if (!strcmp(name, "slow"))
        return set_slow(g, s, why);
    if (!strcmp(name, "data"))
        return set_data(g, s, why);
    if (!strcmp(name, "gc-log"))
        return set_file(g, s->gc_log, why);
    if (!strcmp(name, "alloc-log"))
        return set_file(g, s->alloc_log, why);
    return set_worded(g, s, why);
}

enum err settings_check(const struct settings *s, struct why *why)
{
    char a[24], b[24];
    if (s->heap_bytes < HEAP_BYTES_MIN)
        return err_set(why, ERR_RANGE, "--heap %s: at least %s",
                       units_show_bytes(a, sizeof a, s->heap_bytes),
                       units_show_bytes(b, sizeof b, HEAP_BYTES_MIN));
    if (s->young_bytes >= s->heap_bytes)
        return err_set(why, ERR_RANGE, "--young %s: less than --heap %s",
                       units_show_bytes(a, sizeof a, s->young_bytes),
                       units_show_bytes(b, sizeof b, s->heap_bytes));
    if (s->young_bytes && s->young_bytes < HEAP_YOUNG_BYTES_MIN)
        return err_set(why, ERR_RANGE, "--young %s: at least %s",
                       units_show_bytes(a, sizeof a, s->young_bytes),
                       units_show_bytes(b, sizeof b, HEAP_YOUNG_BYTES_MIN));
    uint64_t young = s->young_bytes ? s->young_bytes : s->heap_bytes / 3;
    if (s->min_tlab_bytes > young / 2)
        return err_set(why, ERR_RANGE,
                       "--min-tlab %s: at most half of the young generation, "
                       "%s",
                       units_show_bytes(a, sizeof a, s->min_tlab_bytes),
                       units_show_bytes(b, sizeof b, young / 2));
    return ERR_OK;
}

void settings_write(const struct settings *s, struct out *o)
{
    char text[128];
    bool v6 = strchr(s->host, ':');
    out_open(o, "settings", '{');
    (void)snprintf(text, sizeof text, "%s%s%s:%u", v6 ? "[" : "", s->host,
                   v6 ? "]" : "", s->port);
    out_text(o, "listen", text);
    out_u64(o, "heap", s->heap_bytes);
    out_u64(o, "young", s->young_bytes);
    out_u64(o, "min_tlab", s->min_tlab_bytes);
    out_text(o, "pretouch", s->pretouch_all ? "all" : "young");
    out_text(o, "predictor", predictor_show(&s->predictor, text, sizeof text));
    out_text(o, "netty_rules",
             s->predictor.rules == PREDICTOR_4_1_7 ? "4.1.7" : "4.1.48");
    out_u64(o, "reads_per_wakeup", s->predictor.reads_per_wakeup);
    out_u64(o, "initial_buffer", s->initial_buffer);
    out_u64(o, "max_components", s->max_components);
    out_text(o, "body_copy", s->body_copy ? "on" : "off");
    out_text(o, "index", s->index ? "fts" : "none");
    out_text(o, "durability", s->durable ? "request" : "async");
    out_u64(o, "shards", s->shards);
    out_u64(o, "native_limit", s->native_limit_bytes);
    out_u64(o, "threads", s->threads);
    out_u64(o, "bulk_threads", s->bulk_threads);
    out_u64(o, "bulk_queue", s->bulk_queue);
    out_u64(o, "parse_work", s->parse_work);
    out_text(o, "data", s->data);
    out_text(o, "gc_log", s->gc_log);
    out_text(o, "alloc_log", s->alloc_log);
    out_text(o, "mode", s->mode == SETTINGS_STATIC ? "static" : "ingest");
    out_u64(o, "static_bytes", s->static_bytes);
    out_u64(o, "stall_ns", s->stall.length_ns);
    out_u64(o, "stall_period_ns", s->stall.period_ns);
    out_u64(o, "slow_ns", s->slow_ns);
    (void)snprintf(text, sizeof text, "%.6g%%", s->slow_share * 100);
    out_text(o, "slow_share", text);
    out_close(o, '}');
}
