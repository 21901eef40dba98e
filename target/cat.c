#include "target/cat.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "target/route.h"
#include "target/stats_index.h"

#define COLUMNS_MAX 10u
#define CELL_BYTES  (ROUTE_NAME_MAX + 1)

struct cat cat_of(struct out *out, const char *target, size_t len)
{
    char format[8] = "", v[8] = "false";
    (void)route_param(target, len, "format", format, sizeof format);
    bool names = route_param(target, len, "v", v, sizeof v);
    return (struct cat){.out = out,
                        .json = !strcmp(format, "json"),
                        .names = names && strcmp(v, "false") != 0};
}

static void begin(struct cat *c, const char *const *names, size_t n)
{
    if (c->json)
        out_open(c->out, NULL, '[');
    for (size_t i = 0; !c->json && c->names && i < n; i++) {
        out_raw(c->out, names[i], strlen(names[i]));
        out_raw(c->out, i + 1 < n ? " " : "\n", 1);
    }
}

static void row(struct cat *c, const char *const *names,
                char cells[][CELL_BYTES], size_t n)
{
    if (c->json)
        out_open(c->out, NULL, '{');
    for (size_t i = 0; i < n; i++) {
        if (c->json) {
            out_text(c->out, names[i], cells[i]);
            continue;
        }
        out_raw(c->out, cells[i], strlen(cells[i]));
        out_raw(c->out, i + 1 < n ? " " : "\n", 1);
    }
    if (c->json)
        out_close(c->out, '}');
}

static void end(struct cat *c)
{
    if (c->json)
        out_close(c->out, ']');
}

static void number(char cell[CELL_BYTES], uint64_t n, const char *unit)
{
    (void)snprintf(cell, CELL_BYTES, "%" PRIu64 "%s", n, unit);
}

static void word(char cell[CELL_BYTES], const char *text)
{
    (void)snprintf(cell, CELL_BYTES, "%s", text);
}

static void moment(char epoch[CELL_BYTES], char clock[CELL_BYTES],
                   uint64_t now_s)
{
    struct tm tm;
    time_t now = (time_t)now_s;
    number(epoch, now_s, "");
    (void)gmtime_r(&now, &tm);
    (void)strftime(clock, CELL_BYTES, "%H:%M:%S", &tm);
}

void cat_indices(struct cat *c, struct index *const *list, size_t n)
{
    static const char *const names[] = {
        "health", "status",     "index",        "uuid",       "pri",
        "rep",    "docs.count", "docs.deleted", "store.size", "pri.store.size"};
    char cells[COLUMNS_MAX][CELL_BYTES];
    begin(c, names, COLUMNS_MAX);
    for (size_t i = 0; i < n; i++) {
        struct census_counts sum = {0};
        stats_index_sum(list[i], &sum);
        word(cells[0], "green");
        word(cells[1], "open");
        word(cells[2], list[i]->name);
        (void)snprintf(cells[3], CELL_BYTES, "%016" PRIx64, list[i]->seed);
        number(cells[4], list[i]->n_shards, "");
        word(cells[5], "0");
        number(cells[6], sum.docs, "");
        word(cells[7], "0");
        number(cells[8], sum.store_bytes, "b");
        number(cells[9], sum.store_bytes, "b");
        row(c, names, cells, COLUMNS_MAX);
    }
    end(c);
}

void cat_health(struct cat *c, uint64_t shards, uint64_t now_s)
{
    static const char *const names[] = {"epoch",      "timestamp",
                                        "cluster",    "status",
                                        "node.total", "node.data",
                                        "shards",     "pri",
                                        "unassign",   "active_shards_percent"};
    char cells[COLUMNS_MAX][CELL_BYTES];
    begin(c, names, COLUMNS_MAX);
    moment(cells[0], cells[1], now_s);
    word(cells[2], "pitwall");
    word(cells[3], "green");
    word(cells[4], "1");
    word(cells[5], "1");
    number(cells[6], shards, "");
    number(cells[7], shards, "");
    word(cells[8], "0");
    word(cells[9], "100.0%");
    row(c, names, cells, COLUMNS_MAX);
    end(c);
}

void cat_nodes(struct cat *c, uint64_t heap_percent)
{
    static const char *const names[] = {"ip", "heap.percent", "node.role",
                                        "master", "name"};
    char cells[COLUMNS_MAX][CELL_BYTES];
    begin(c, names, 5);
    word(cells[0], "127.0.0.1");
    number(cells[1], heap_percent, "");
    word(cells[2], "mdi");
    word(cells[3], "*");
    word(cells[4], "pitwall-target");
    row(c, names, cells, 5);
    end(c);
}

void cat_count(struct cat *c, uint64_t docs, uint64_t now_s)
{
    static const char *const names[] = {"epoch", "timestamp", "count"};
    char cells[COLUMNS_MAX][CELL_BYTES];
    begin(c, names, 3);
    moment(cells[0], cells[1], now_s);
    number(cells[2], docs, "");
    row(c, names, cells, 3);
    end(c);
}
