#include "tests/unit/results/spooler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hist.h"

static void append(struct wire_buf *buf, const void *data, size_t len)
{
    if (buf->len + len > buf->cap) {
        buf->cap = 2 * (buf->len + len);
        buf->data = realloc(buf->data, buf->cap);
        if (!buf->data)
            abort();
    }
    memcpy(buf->data + buf->len, data, len);
    buf->len += len;
}

void spooler_bytes(struct spooler *s, enum spool_stream stream,
                   const void *data, size_t len)
{
    const uint8_t *at = data;
    do {
        uint8_t header[SPOOL_HEADER_BYTES];
        uint32_t n = len > SPOOL_RECORD_MAX ? SPOOL_RECORD_MAX : (uint32_t)len;
        spool_header_make(header, stream, s->seq++, at, n);
        append(&s->spool, header, sizeof header);
        append(&s->spool, at, n);
        at += n;
        len -= n;
    } while (len);
}

void spooler_text(struct spooler *s, enum spool_stream stream, const char *text)
{
    spooler_bytes(s, stream, text, strlen(text));
}

void spooler_record(struct spooler *s, enum spool_stream stream,
                    enum record_kind kind, const void *in)
{
    struct wire_buf map = {0}, framed = {0};
    struct why why = {0};
    if (record_encode(kind, in, &map, &why)) {
        (void)fprintf(stderr, "spooler: %s\n", why.text);
        abort();
    }
    const uint8_t len[4] = {(uint8_t)map.len, (uint8_t)(map.len >> 8),
                            (uint8_t)(map.len >> 16), (uint8_t)(map.len >> 24)};
    append(&framed, len, sizeof len);
    append(&framed, map.data, map.len);
    spooler_bytes(s, stream, framed.data, framed.len);
    wire_buf_free(&map);
    free(framed.data);
}

void spooler_hist(struct spooler *s, const char *task, const char *kind,
                  int64_t second, const uint64_t *values, size_t n)
{
    struct hist *h = calloc(1, sizeof *h);
    uint8_t *blob = malloc(HIST_BLOB_MAX);
    if (!h || !blob)
        abort();
    for (size_t i = 0; i < n; i++)
        hist_record(h, values[i]);
    struct record_hist r = {.second = second};
    (void)snprintf(r.task, sizeof r.task, "%s", task);
    (void)snprintf(r.kind, sizeof r.kind, "%s", kind);
    r.blob = (struct wire_blob){blob, hist_encode(h, blob, HIST_BLOB_MAX)};
    spooler_record(s, SPOOL_LOAD, RECORD_IS_hist, &r);
    free(blob);
    free(h);
}

void spooler_free(struct spooler *s)
{
    wire_buf_free(&s->spool);
    *s = (struct spooler){.seq = 0};
}

static void load(struct spooler *s)
{
    /* Warm-up, two measured seconds, the drain. */
    static const struct record_sample_load seconds[] = {
        {.second = -1, .task = "index", .ops = 5, .docs = 500, .bytes = 150000},
        {.second = 0, .task = "index", .ops = 8, .docs = 800, .bytes = 240000},
        {.second = 1,
         .task = "index",
         .ops = 11,
         .docs = 1100,
         .bytes = 330000,
         .errors = 1,
         .docs_failed = 100},
        {.second = 2, .task = "index", .ops = 1, .docs = 100, .bytes = 30000}};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        spooler_record(s, SPOOL_LOAD, RECORD_IS_sample_load, &seconds[i]);
    static const struct record_task task = {.task = "index",
                                            .operation = "bulk",
                                            .unit = "docs",
                                            .clients = 2,
                                            .window_ns = 2000000000,
                                            .ops = 20,
                                            .docs = 2000,
                                            .bytes = 600000,
                                            .received = 4000,
                                            .errors = 1,
                                            .docs_failed = 100,
                                            .late = 3};
    spooler_record(s, SPOOL_LOAD, RECORD_IS_task, &task);
    static const struct record_driver driver = {.engine = "raw",
                                                .threads = 1,
                                                .docs_acked = 2500,
                                                .docs_refused = 100,
                                                .requests = 26,
                                                .body_bytes = 780000,
                                                .connects = 2,
                                                .cpu_user_ns = 30000000,
                                                .cpu_system_ns = 12000000,
                                                .loop_lag_max_ns = 900000};
    spooler_record(s, SPOOL_LOAD, RECORD_IS_driver, &driver);
    /* 21 requests, 1 to 21 us: enough for a median, not for a p90. */
    uint64_t values[21];
    for (size_t i = 0; i < 21; i++)
        values[i] = 1000 * (i + 1);
    spooler_hist(s, "index", "latency", RECORD_WHOLE_WINDOW, values, 21);
    spooler_hist(s, "index", "service", RECORD_WHOLE_WINDOW, values, 20);
    spooler_hist(s, "index", "latency", 0, values, 8);
    spooler_hist(s, "index", "latency", 1, values + 8, 13);
}

static void watch(struct spooler *s, const char *side, int64_t second)
{
    enum spool_stream stream =
        side[0] == 't' ? SPOOL_WATCH_TARGET : SPOOL_WATCH_LOAD;
    struct record_sample_link link = {.second = second,
                                      .rx_bytes = 500000,
                                      .rx_packets = 400,
                                      .tx_bytes = 20000,
                                      .tx_packets = 300};
    (void)snprintf(link.side, sizeof link.side, "%s", side);
    (void)snprintf(link.iface, sizeof link.iface, "veth0");
    spooler_record(s, stream, RECORD_IS_sample_link, &link);
    struct record_sample_tcp tcp = {.second = second,
                                    .segs_in = 400,
                                    .segs_out = 300,
                                    .segs_retrans = side[0] == 'l' ? 2 : 0,
                                    .rcvq_pruned = side[0] == 't' ? 3 : 0,
                                    .sockets = 2,
                                    .rcvbuf_min = 131072,
                                    .rcvbuf_max = 262144,
                                    .rtt_ns = 50000};
    (void)snprintf(tcp.side, sizeof tcp.side, "%s", side);
    spooler_record(s, stream, RECORD_IS_sample_tcp, &tcp);
    struct record_sample_cpu cpu = {.second = second,
                                    .user_ns = 700000000,
                                    .system_ns = 300000000,
                                    .softirq_ns = 100000000,
                                    .steal_ns = 20000000,
                                    .idle_ns = 880000000};
    (void)snprintf(cpu.side, sizeof cpu.side, "%s", side);
    spooler_record(s, stream, RECORD_IS_sample_cpu, &cpu);
    struct record_sample_proc proc = {.second = second,
                                      .user_ns = 300000000,
                                      .system_ns = 100000000,
                                      .rss_bytes = 50000000,
                                      .threads = 4};
    (void)snprintf(proc.side, sizeof proc.side, "%s", side);
    (void)snprintf(proc.name, sizeof proc.name, "%s", side);
    spooler_record(s, stream, RECORD_IS_sample_proc, &proc);
}

static void target(struct spooler *s, int64_t second)
{
    struct record_sample_target polled = {.second = second,
                                          .docs = 1000,
                                          .requests = 10,
                                          .reads = 20,
                                          .read_bytes = 300000,
                                          .buffer_bytes = 1310720,
                                          .heap_used = 70000000,
                                          .heap_max = 268435456};
    spooler_record(s, SPOOL_WATCH_TARGET, RECORD_IS_sample_target, &polled);
}

void spooler_target(struct spooler *s)
{
    static const char last[] =
        "{\"version\":1,\"outcome\":\"ok\",\"partial\":false,"
        "\"total\":{\"docs\":2500,\"docs_failed\":100},"
        "\"window\":{\"t0_ns\":1000000000,\"t1_ns\":3000000000,"
        "\"docs\":2000,\"requests\":21,\"rejected\":0,\"reads\":40,"
        "\"read_bytes\":640000,\"zero_reads\":0,\"buffer_count\":40,"
        "\"buffer_bytes\":2560000,\"cpu_ns\":96000000},"
        "\"heap\":{\"used_max_bytes\":90000000,\"alloc_bytes\":3200000,"
        "\"tlab_count\":8,\"tlab_bytes\":2400000,\"tlab_min_bytes\":200000,"
        "\"tlab_max_bytes\":400000,\"outside_count\":5,"
        "\"outside_bytes\":320000,\"outside_min_bytes\":60000,"
        "\"outside_max_bytes\":65552,\"young_count\":6,"
        "\"young_pause_ns\":12000000,\"old_count\":0,\"old_pause_ns\":0,"
        "\"pause_max_ns\":4000000},"
        "\"read_bytes\":[[16000,30],[65536,10]],"
        "\"reads_per_loop\":[[1,40]],\"service_ns\":[],"
        "\"settings\":{\"predictor\":\"fixed:64k\"}}";
    static const char settings[] =
        "{\"version\":1,\"link\":{\"kind\":\"veth\",\"load\":"
        "{\"qdisc\":\"tbf rate 25000000B/s burst 32768 limit 282768\"}},"
        "\"sysctls\":{\"net.ipv4.tcp_rmem\":\"4096 131072 6291456\"},"
        "\"facts\":{\"target\":{\"interface.rings\":\"not supported\"},"
        "\"load\":{\"interface.mtu\":\"1500\",\"not a text\":7}}}";
    struct record_fact fact = {
        .side = "target", .name = "link", .value = "veth mtu 1500"};
    spooler_text(s, SPOOL_EXECUTOR, settings);
    for (int64_t second = -1; second <= 2; second++) {
        watch(s, "target", second);
        target(s, second);
    }
    spooler_record(s, SPOOL_WATCH_TARGET, RECORD_IS_fact, &fact);
    spooler_text(s, SPOOL_TARGET_FINAL, last);
    spooler_text(s, SPOOL_STDERR_TARGET, "listening\n");
}

void spooler_load(struct spooler *s)
{
    for (int64_t second = -1; second <= 2; second++)
        watch(s, "load", second);
    spooler_record(s, SPOOL_LOAD, RECORD_IS_fact,
                   &(struct record_fact){.side = "load",
                                         .name = "load.provider",
                                         .value = "static"});
    spooler_record(s, SPOOL_LOAD, RECORD_IS_fact,
                   &(struct record_fact){.side = "load",
                                         .name = "corpus.docs.sha256",
                                         .value = "ba7816bf"});
    spooler_record(s, SPOOL_LOAD, RECORD_IS_fact,
                   &(struct record_fact){
                       .side = "load", .name = "tags.index", .value = "a, b"});
    spooler_record(s, SPOOL_LOAD, RECORD_IS_fact,
                   &(struct record_fact){.side = "load",
                                         .name = "meta.index",
                                         .value = "{\"x\":1}"});
    load(s);
}

void spooler_trial(struct spooler *s)
{
    spooler_target(s);
    spooler_load(s);
}

void spooler_docs(struct spooler *s, uint64_t docs, uint64_t counted)
{
    char last[200];
    const struct record_task task = {.task = "index",
                                     .operation = "bulk",
                                     .unit = "docs",
                                     .window_ns = 1000000000,
                                     .ops = 10,
                                     .docs = docs};
    const struct record_driver driver = {.engine = "raw", .docs_acked = docs};
    spooler_record(s, SPOOL_LOAD, RECORD_IS_task, &task);
    spooler_record(s, SPOOL_LOAD, RECORD_IS_driver, &driver);
    (void)snprintf(last, sizeof last,
                   "{\"outcome\":\"ok\",\"total\":{\"docs\":%llu},"
                   "\"window\":{\"reads\":10,\"read_bytes\":%llu}}",
                   (unsigned long long)counted, 10 * (unsigned long long)docs);
    spooler_text(s, SPOOL_TARGET_FINAL, last);
}
