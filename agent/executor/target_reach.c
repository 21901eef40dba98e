#include "agent/executor/target_reach.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/executor/attempt.h"
#include "agent/executor/target_stats.h"
#include "agent/executor/target_text.h"
#include "common/json_place.h"
#include "common/units.h"

#define WITHIN_MAX (3600ull * 1000000000u)

/* A time of at most an hour; absent: left alone. */
static enum err read_within(const struct jv *v, uint64_t *ns, struct why *why)
{
    if (!v)
        return ERR_OK;
    enum err e =
        target_text_place(v, units_duration(jv_text(v, ""), ns, why), why);
    if (!e && (!*ns || *ns > WITHIN_MAX))
        e = target_text_refuse(v, "a time such as \"30s\", at most 1h", why);
    return e;
}

static enum err read_ready(struct target_def *def, struct why *why)
{
    static const char *const keys[] = {"path", "expect", "within", NULL};
    const struct jv *v = jv_get(def->doc, "ready");
    (void)snprintf(def->ready, sizeof def->ready, "/");
    if (!v || jv_type(v) == JV_STRING)
        return target_text_path(v, def->ready, sizeof def->ready, why);
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = target_text_path(jv_get(v, "path"), def->ready, sizeof def->ready,
                             why);
    if (!e)
        e = target_text_copy(jv_get(v, "expect"), "a text of 1 to 127 bytes",
                             def->expect, sizeof def->expect, why);
    return e ? e : read_within(jv_get(v, "within"), &def->ready_ns, why);
}

static bool good_url(const char *url)
{
    static const char scheme[] = "http://";
    const char *host = url + strlen(scheme);
    uint64_t port = 0;
    if (strncmp(url, scheme, strlen(scheme)) != 0)
        return false;
    const char *colon = strrchr(host, ':');
    return colon && colon > host && strlen(url) < 200 &&
           strspn(host, TARGET_TEXT_LETTERS "[]:") == strlen(host) &&
           !units_u64(colon + 1, 65535, &port, NULL) && port;
}

static enum err read_urls(struct target_def *def, struct why *why)
{
    const struct jv *one = jv_get(def->doc, "url");
    const struct jv *list = jv_get(def->doc, "urls");
    size_t n = one ? 1 : jv_size(list);
    if (!def->unmanaged && (one || list))
        return target_text_refuse(
            one ? one : list,
            "a URL only with \"managed\": false; others listen at "
            "{{address}} and {{port}}",
            why);
    if (!def->unmanaged)
        return ERR_OK;
    if ((one && list) || !n || n > TARGET_URLS_MAX)
        return target_text_refuse(
            list ? list : def->doc,
            "\"url\", or \"urls\" with 1 to 16 of them, with "
            "\"managed\": false",
            why);
    for (size_t i = 0; i < n; i++) {
        const struct jv *v = one ? one : jv_at(list, i);
        if (!good_url(jv_text(v, "")))
            return target_text_refuse(v, "\"http://HOST:PORT\"", why);
        def->urls[def->n_urls++] = jv_text(v, "");
    }
    return ERR_OK;
}

static enum err read_stop_keys(struct target_def *def, const struct jv *stop,
                               struct why *why)
{
    static const char *const keys[] = {"signal", "within", NULL};
    enum err e = jv_only(stop, keys, why);
    return e ? e : read_within(jv_get(stop, "within"), &def->stop_ns, why);
}

static enum err read_stop(struct target_def *def, struct why *why)
{
    static const struct {
        const char *name;
        int signal;
    } signals[] = {{"TERM", SIGTERM}, {"INT", SIGINT}, {"QUIT", SIGQUIT}};
    const struct jv *stop = jv_get(def->doc, "stop");
    const struct jv *oom = jv_get(def->doc, "oom_exit");
    const struct jv *name =
        jv_type(stop) == JV_OBJECT ? jv_get(stop, "signal") : stop;
    def->stop_signal = name ? 0 : SIGTERM;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!strcmp(jv_text(name, ""), signals[i].name))
            def->stop_signal = signals[i].signal;
    if (!def->stop_signal)
        return target_text_refuse(name, "\"TERM\", \"INT\" or \"QUIT\"", why);
    enum err e =
        jv_type(stop) == JV_OBJECT ? read_stop_keys(def, stop, why) : ERR_OK;
    if (e)
        return e;
    uint64_t status = jv_u64(oom, 0);
    if (oom && (!status || status > 255))
        return target_text_refuse(oom, "an exit status from 1 to 255", why);
    def->oom_exit = oom ? (int)status : ATTEMPT_NO_EXIT;
    return target_text_copy(jv_get(def->doc, "user"), "a user's name",
                            def->user, sizeof def->user, why);
}

static enum err read_stats(struct target_def *def, struct why *why)
{
    const struct jv *stats = jv_get(def->doc, "stats");
    enum err e = target_stats_check(stats, why);
    return e || !stats ? e
                       : target_text_path(jv_get(stats, "path"), def->stats,
                                          sizeof def->stats, why);
}

enum err target_reach_read(struct target_def *def, struct why *why)
{
    enum err e = read_urls(def, why);
    if (!e)
        e = read_ready(def, why);
    if (!e)
        e = read_stats(def, why);
    return e ? e : read_stop(def, why);
}
