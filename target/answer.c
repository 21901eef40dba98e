#include "target/answer.h"

#include <stdio.h>
#include <string.h>

void answer_error(struct out *o, unsigned status, const char *type,
                  const char *reason)
{
    out_open(o, NULL, '{');
    out_open(o, "error", '{');
    out_open(o, "root_cause", '[');
    out_open(o, NULL, '{');
    out_text(o, "type", type);
    out_text(o, "reason", reason);
    out_close(o, '}');
    out_close(o, ']');
    out_text(o, "type", type);
    out_text(o, "reason", reason);
    out_close(o, '}');
    out_u64(o, "status", status);
    out_close(o, '}');
}

void answer_banner(struct out *o)
{
    out_open(o, NULL, '{');
    out_text(o, "name", "pitwall-target");
    out_text(o, "cluster_name", "pitwall");
    out_text(o, "cluster_uuid", "pitwall-target-0000000");
    out_open(o, "version", '{');
    out_text(o, "number", ANSWER_VERSION);
    out_text(o, "build_flavor", "pitwall");
    out_text(o, "build_type", "pitwall " PITWALL_VERSION);
    out_bool(o, "build_snapshot", false);
    out_text(o, "minimum_wire_compatibility_version", "5.6.0");
    out_text(o, "minimum_index_compatibility_version", "5.0.0");
    out_close(o, '}');
    out_text(o, "tagline", "You Know, for Search");
    out_close(o, '}');
}

void answer_health(struct out *o, uint64_t shards)
{
    out_open(o, NULL, '{');
    out_text(o, "cluster_name", "pitwall");
    out_text(o, "status", "green");
    out_bool(o, "timed_out", false);
    out_u64(o, "number_of_nodes", 1);
    out_u64(o, "number_of_data_nodes", 1);
    out_u64(o, "active_primary_shards", shards);
    out_u64(o, "active_shards", shards);
    out_u64(o, "relocating_shards", 0);
    out_u64(o, "initializing_shards", 0);
    out_u64(o, "unassigned_shards", 0);
    out_u64(o, "delayed_unassigned_shards", 0);
    out_u64(o, "number_of_pending_tasks", 0);
    out_u64(o, "number_of_in_flight_fetch", 0);
    out_u64(o, "task_max_waiting_in_queue_millis", 0);
    out_u64(o, "active_shards_percent_as_number", 100);
    out_close(o, '}');
}

void answer_created(struct out *o, const char *index)
{
    out_open(o, NULL, '{');
    out_bool(o, "acknowledged", true);
    out_bool(o, "shards_acknowledged", true);
    out_text(o, "index", index);
    out_close(o, '}');
}

void answer_acknowledged(struct out *o)
{
    out_open(o, NULL, '{');
    out_bool(o, "acknowledged", true);
    out_close(o, '}');
}

void answer_shards(struct out *o)
{
    out_open(o, NULL, '{');
    out_open(o, "_shards", '{');
    out_u64(o, "total", 0);
    out_u64(o, "successful", 0);
    out_u64(o, "failed", 0);
    out_close(o, '}');
    out_close(o, '}');
}

static const char *method_name(enum http1_method method)
{
    static const char *const names[] = {
        [HTTP1_GET] = "GET",       [HTTP1_HEAD] = "HEAD",
        [HTTP1_POST] = "POST",     [HTTP1_PUT] = "PUT",
        [HTTP1_DELETE] = "DELETE", [HTTP1_OTHER] = "OTHER"};
    return names[method];
}

unsigned answer_no_route(struct out *o, const struct route *route,
                         enum http1_method method, const char *target,
                         size_t len)
{
    char text[1024];
    int shown = len < 512 ? (int)len : 512;
    bool wrong_method = route->kind == ROUTE_METHOD;
    if (wrong_method)
        (void)snprintf(text, sizeof text,
                       "Incorrect HTTP method for uri [%.*s] and method [%s], "
                       "allowed: [%s]",
                       shown, target, method_name(method), route->allowed);
    else
        (void)snprintf(text, sizeof text,
                       "no handler found for uri [%.*s] and method [%s]", shown,
                       target, method_name(method));
    out_open(o, NULL, '{');
    out_text(o, "error", text);
    out_u64(o, "status", wrong_method ? 405 : 400);
    out_close(o, '}');
    return wrong_method ? 405 : 400;
}

void answer_rejected(struct out *o, unsigned threads, unsigned queue)
{
    char text[256];
    (void)snprintf(text, sizeof text,
                   "rejected execution of bulk on EsThreadPoolExecutor[name = "
                   "pitwall-target/write, queue capacity = %u, pool size = "
                   "%u, queued tasks = %u]",
                   queue, threads, queue);
    answer_error(o, 429, "es_rejected_execution_exception", text);
}
