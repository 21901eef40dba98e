#include "results/agree.h"

#include <math.h>
#include <stdio.h>

/* A target's bodies beyond the driver's: what prepares an index is no load. */
#define SETUP_BYTES 1048576.0
/* Bytes under way at both ends of a window, as a time; and of what is
 * estimated from packets, the share that it may be off. */
#define EDGE_S        0.1
#define TRAFFIC_SHARE 0.03
/* The log has microseconds. */
#define LOG_ROUND_NS 1000.0
/* The collector is read at the window's end, its log when the target is down:
 * what may have come in between. */
#define DRAIN_COLLECTIONS 3.0
#define DRAIN_SHARE       0.25
/* How late a pause may be noticed. */
#define NOTICE_NS    1e6
#define NOTICE_SHARE 0.1

const char *agree_source_name(enum agree_source source)
{
    static const char *const names[AGREE_SOURCES] = {
        [AGREE_DRIVER] = "driver",       [AGREE_TARGET] = "target",
        [AGREE_INDEX] = "index",         [AGREE_INTERFACE] = "interface",
        [AGREE_COLLECTOR] = "collector", [AGREE_LOG] = "gc log",
        [AGREE_HICCUP] = "hiccup",       [AGREE_COUNTERS] = "counters",
        [AGREE_RECORDING] = "recording", [AGREE_STATISTICS] = "statistics"};
    return names[source];
}

void agree_facts_init(struct agree_facts *facts)
{
    *facts = (struct agree_facts){.window_s = NAN,
                                  .docs_acked = NAN,
                                  .docs_counted = NAN,
                                  .index_docs = NAN,
                                  .docs_unknown = NAN,
                                  .body_bytes = NAN,
                                  .target_body_bytes = NAN,
                                  .read_bytes = NAN,
                                  .received_bytes = NAN,
                                  .link_bytes = NAN,
                                  .queued_bytes = NAN,
                                  .collections = NAN,
                                  .log_collections = NAN,
                                  .window_collections = NAN,
                                  .pause_ns = NAN,
                                  .log_pause_ns = NAN,
                                  .pause_max_ns = NAN,
                                  .log_pause_max_ns = NAN,
                                  .hiccup_max_ns = NAN,
                                  .service_max_ns = NAN,
                                  .service_mean_ns = NAN,
                                  .target_mean_ns = NAN};
    agree_jvm_init(&facts->jvm);
}

#define SAY(a, ...) ((void)snprintf((a)->words, sizeof(a)->words, __VA_ARGS__))

void agree_differ(struct agree *a, const char *what, double by,
                  const char *unit)
{
    if (a->verdict == AGREE_NO)
        return;
    a->verdict = AGREE_NO;
    SAY(a, "%s by %.15g %s", what, fabs(by), unit);
}

static void docs(struct agree *a, const struct agree_facts *f)
{
    double unknown = isnan(f->docs_unknown) ? 0 : f->docs_unknown;
    double ahead = f->docs_counted - f->docs_acked;
    a->values[AGREE_DRIVER] = f->docs_acked;
    a->values[AGREE_TARGET] = f->docs_counted;
    a->values[AGREE_INDEX] = f->index_docs;
    if (ahead < 0)
        agree_differ(a, "the target counted fewer than were acknowledged",
                     ahead, "docs");
    if (ahead > unknown)
        agree_differ(a, "the target counted more than were sent",
                     ahead - unknown, "docs");
    double index = f->index_docs - f->docs_counted;
    if (index > 0)
        agree_differ(a, "the index has more than the target counted", index,
                     "docs");
    if (index < 0)
        agree_differ(a, "the index has fewer (or ids came twice)", index,
                     "docs");
    if (a->verdict == AGREE_YES && ahead > 0)
        SAY(a, "%.0f were never answered", ahead);
}

static void bodies(struct agree *a, const struct agree_facts *f)
{
    double ahead = f->target_body_bytes - f->body_bytes;
    a->values[AGREE_DRIVER] = f->body_bytes;
    a->values[AGREE_TARGET] = f->target_body_bytes;
    if (ahead < 0 && !(f->docs_unknown > 0))
        agree_differ(a, "the target read less than was sent", ahead, "bytes");
    if (ahead > SETUP_BYTES)
        agree_differ(a, "the target read more than was sent", ahead, "bytes");
    if (a->verdict == AGREE_YES && ahead > 0)
        SAY(a, "%.0f bytes of requests that prepare", ahead);
}

static void traffic(struct agree *a, const struct agree_facts *f)
{
    double want = f->read_bytes;
    double room = TRAFFIC_SHARE + (f->window_s > 0 ? EDGE_S / f->window_s : 1);
    if (f->queued_bytes > 0 && want > 0) /* received, and not read yet */
        room += f->queued_bytes / want;
    if (f->link_both)
        want += f->received_bytes;
    a->values[AGREE_TARGET] = f->read_bytes;
    a->values[AGREE_INTERFACE] = f->link_bytes;
    if (f->link_both)
        a->values[AGREE_DRIVER] = f->received_bytes;
    if (isnan(want) || isnan(f->link_bytes) || !(want > 0)) {
        a->verdict = AGREE_UNKNOWN;
        return;
    }
    a->difference = f->link_bytes / want - 1;
    if (fabs(a->difference) > room)
        agree_differ(a, "the interface and the programs differ",
                     100 * a->difference, "%");
    else
        SAY(a, "within %.0f %%%s", 100 * room,
            f->link_both ? "; the interface has answers too" : "");
}

static void collections(struct agree *a, const struct agree_facts *f)
{
    a->values[AGREE_COLLECTOR] = f->collections;
    a->values[AGREE_LOG] = f->log_collections;
    double off = f->log_collections - f->collections;
    if (off < 0)
        agree_differ(a, "the log has fewer", off, "collections");
    else if (off > DRAIN_COLLECTIONS + DRAIN_SHARE * f->collections)
        agree_differ(a, "the log has more", off, "collections");
    else if (off > 0)
        SAY(a, "the log has %.0f after the window too", off);
}

/* The collector tells of the window, its log of all: equal where no other
 * collection was, else no less. */
static void pauses(struct agree *a, const struct agree_facts *f)
{
    double room = LOG_ROUND_NS * (f->log_collections + 1);
    double off = f->log_pause_ns - f->pause_ns;
    bool all = f->collections == f->window_collections &&
               f->log_collections == f->collections;
    a->values[AGREE_COLLECTOR] = f->pause_ns;
    a->values[AGREE_LOG] = f->log_pause_ns;
    if (off < -room)
        agree_differ(a, "the log has less than the window's", off / 1e6, "ms");
    if (all && off > room)
        agree_differ(a, "the log has more", off / 1e6, "ms");
    if (a->verdict == AGREE_YES && !all)
        SAY(a, "the log has warm-up and drain too");
}

static void longest(struct agree *a, const struct agree_facts *f)
{
    double least = f->pause_max_ns * (1 - NOTICE_SHARE) - NOTICE_NS;
    a->values[AGREE_COLLECTOR] = f->pause_max_ns;
    a->values[AGREE_LOG] = f->log_pause_max_ns;
    a->values[AGREE_HICCUP] = f->hiccup_max_ns;
    a->values[AGREE_DRIVER] = f->service_max_ns;
    if (f->log_pause_max_ns < f->pause_max_ns - LOG_ROUND_NS)
        agree_differ(a, "the log's longest is shorter",
                     (f->log_pause_max_ns - f->pause_max_ns) / 1e6, "ms");
    if (f->hiccup_max_ns < least)
        agree_differ(a, "the waiting thread missed the longest pause",
                     (f->hiccup_max_ns - f->pause_max_ns) / 1e6, "ms");
    if (f->service_max_ns < least)
        agree_differ(a, "the driver had no answer that took as long",
                     (f->service_max_ns - f->pause_max_ns) / 1e6, "ms");
    a->values[AGREE_RECORDING] = f->jvm.recording_max_ns;
    if (f->jvm.recording.young == f->jvm.log.young &&
        f->jvm.recording.old == f->jvm.log.old &&
        fabs(f->jvm.recording_max_ns - f->pause_max_ns) >
            NOTICE_SHARE * f->pause_max_ns + NOTICE_NS)
        agree_differ(a, "the recording's longest is another",
                     (f->jvm.recording_max_ns - f->pause_max_ns) / 1e6, "ms");
    if (a->verdict == AGREE_YES && f->hiccup_max_ns > f->pause_max_ns)
        SAY(a, "%.3g ms of waiting are not the collector's",
            (f->hiccup_max_ns - f->pause_max_ns) / 1e6);
}

static void service(struct agree *a, const struct agree_facts *f)
{
    a->values[AGREE_DRIVER] = f->service_mean_ns;
    a->values[AGREE_TARGET] = f->target_mean_ns;
    double off = f->target_mean_ns - f->service_mean_ns;
    if (off > NOTICE_SHARE * f->service_mean_ns)
        agree_differ(a, "the target took longer than its client waited",
                     off / 1e6, "ms");
    else if (a->verdict == AGREE_YES && f->service_mean_ns > 0)
        SAY(a, "%.0f %% of it in the target",
            100 * f->target_mean_ns / f->service_mean_ns);
}

void agree_judge(struct agree *out, const struct agree_facts *facts,
                 enum agree_figure figure)
{
    static const struct {
        const char *name, *unit;
        void (*judge)(struct agree *, const struct agree_facts *);
        bool bounds; /* one source is a bound of another, not its equal */
    } figures[AGREE_FIGURES] = {
        [AGREE_DOCS] = {"documents", "docs", docs},
        [AGREE_BODIES] = {"body bytes", "bytes", bodies},
        [AGREE_TRAFFIC] = {"bytes in the window", "bytes", traffic},
        [AGREE_COLLECTIONS] = {"collections", "", collections},
        [AGREE_PAUSES] = {"pause time", "ns", pauses},
        [AGREE_LONGEST] = {"longest pause", "ns", longest, true},
        [AGREE_SERVICE] = {"service time", "ns", service, true},
        [AGREE_YOUNG] = {"young collections", "", agree_jvm_young},
        [AGREE_YOUNG_PAUSES] = {"young pauses", "ns", agree_jvm_young_pauses},
        [AGREE_OLD] = {"old collections", "", agree_jvm_old},
        [AGREE_OLD_PAUSES] = {"old pauses", "ns", agree_jvm_old_pauses},
        [AGREE_OLD_ELAPSED] = {"old elapsed", "ns", agree_jvm_elapsed, true},
        [AGREE_STOPS] = {"all stops", "ns", agree_jvm_stops}};
    *out = (struct agree){.name = figures[figure].name,
                          .unit = figures[figure].unit,
                          .difference = NAN,
                          .verdict = AGREE_YES};
    for (size_t i = 0; i < AGREE_SOURCES; i++)
        out->values[i] = NAN;
    figures[figure].judge(out, facts);
    double least = INFINITY, most = -INFINITY;
    size_t told = 0;
    for (size_t i = 0; i < AGREE_SOURCES; i++)
        if (!isnan(out->values[i])) {
            least = fmin(least, out->values[i]);
            most = fmax(most, out->values[i]);
            told++;
        }
    if (told < 2) {
        out->verdict = AGREE_UNKNOWN;
        out->words[0] = '\0';
    }
    if (figures[figure].bounds || !isnan(out->difference))
        return;
    if (told >= 2 && least > 0)
        out->difference = most / least - 1;
    else if (told >= 2 && most == least)
        out->difference = 0;
}
