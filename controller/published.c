#include "controller/published.h"

#include <math.h>
#include <string.h>

#define OTHER_SERVER "another server: rates of it are its own"
#define OTHER_ROOM   "heaps, clients and bulks are scaled"

static const struct published all[] = {
    {.experiment = "loopback-vs-ethernet",
     .says = "Ethernet puts far more outside TLABs than loopback, at 512k",
     .table = "loopback-vs-ethernet",
     .metric = "outside_bytes",
     .base = "link=loopback,predictor=512k",
     .contender = "link=ethernet,predictor=512k",
     .our_metric = "outside_bytes_per_byte",
     .our_base = "link=loopback,predictor=fixed:512k",
     .our_contender = "link=ethernet,predictor=fixed:512k"},
    {.experiment = "heap-by-predictor",
     .says = "64k puts more outside TLABs than 32k, on a heap with room",
     .table = "heap-predictor",
     .metric = "outside_bytes",
     .base = "heap=8g,predictor=fixed:32k",
     .contender = "heap=8g,predictor=fixed:64k",
     .our_metric = "outside_bytes_per_byte",
     .our_base = "heap=1g,predictor=fixed:32k",
     .our_contender = "heap=1g,predictor=fixed:64k",
     .no_size = OTHER_ROOM},
    {.experiment = "heap-by-predictor",
     .says = "the smallest heap puts more objects outside TLABs, at 64k",
     .table = "heap-predictor",
     .metric = "outside_count",
     .base = "heap=8g,predictor=fixed:64k",
     .contender = "heap=1g,predictor=fixed:64k",
     .our_metric = "outside_count",
     .our_base = "heap=1g,predictor=fixed:64k",
     .our_contender = "heap=128m,predictor=fixed:64k",
     .no_size = OTHER_ROOM},
    {.experiment = "heap-by-predictor",
     .says = "32k is as fast as 64k, on a heap with room",
     .table = "heap-predictor",
     .metric = "throughput_running_median",
     .base = "heap=4g,predictor=fixed:64k",
     .contender = "heap=4g,predictor=fixed:32k",
     .our_metric = "throughput",
     .our_base = "heap=512m,predictor=fixed:64k",
     .our_contender = "heap=512m,predictor=fixed:32k",
     .no_size = OTHER_SERVER},
    {.experiment = "rmem",
     .says = "a receive buffer of 10240 is much slower",
     .table = "rmem",
     .metric = "throughput_running_median",
     .base = "rmem=default",
     .contender = "rmem=low",
     .our_metric = "throughput",
     .our_base = "rmem=default,target.max_components=1024",
     .our_contender = "rmem=low,target.max_components=1024",
     .no_size = "no round trip of a real network; " OTHER_SERVER},
    {.experiment = "rmem",
     .says = "one of 16777216 is as fast as the default",
     .table = "rmem",
     .metric = "throughput_running_median",
     .base = "rmem=default",
     .contender = "rmem=high",
     .our_metric = "throughput",
     .our_base = "rmem=default,target.max_components=1024",
     .our_contender = "rmem=high,target.max_components=1024",
     .no_size = "no round trip of a real network; " OTHER_SERVER},
    {.experiment = "rmem",
     .says = "a receive buffer of 10240 costs many more young collections",
     .table = "rmem",
     .metric = "young_pause_ns",
     .base = "rmem=default",
     .contender = "rmem=low",
     .our_metric = "young_pause_per_mb",
     .our_base = "rmem=default,target.max_components=1024",
     .our_contender = "rmem=low,target.max_components=1024",
     .no_size = "another collector and heap"},
    {.experiment = "fixed-vs-adaptive",
     .says = "adaptive:16k-64k is as fast as fixed:64k",
     .our_metric = "throughput",
     .our_base = "predictor=fixed:64k",
     .our_contender = "predictor=adaptive:16k-64k",
     .no_size = "published as \"identical\", without figures"},
    {.experiment = "fixed-vs-adaptive-append-and-search",
     .says = "with searches, adaptive:1k-512k is as fast as fixed:64k",
     .table = "fixed-vs-adaptive",
     .metric = "throughput_running_median",
     .base = "workload=append-and-search,predictor=fixed:64k",
     .contender = "workload=append-and-search,predictor=adaptive:1k-512k",
     .our_metric = "throughput",
     .our_base = "predictor=fixed:64k",
     .our_contender = "predictor=adaptive:1k-512k",
     .no_size = OTHER_SERVER},
    {.experiment = "fixed-vs-adaptive-append-and-info",
     .says = "with small requests, adaptive:1k-512k is as fast as fixed:64k",
     .table = "fixed-vs-adaptive",
     .metric = "throughput_running_median",
     .base = "workload=append-and-info,predictor=fixed:64k",
     .contender = "workload=append-and-info,predictor=adaptive:1k-512k",
     .our_metric = "throughput",
     .our_base = "predictor=fixed:64k",
     .our_contender = "predictor=adaptive:1k-512k",
     .no_size = OTHER_SERVER},
};

const struct published *published_at(size_t i)
{
    return i < sizeof all / sizeof *all ? &all[i] : NULL;
}

double published_value(const struct foreign *table, const char *cell,
                       const char *metric)
{
    size_t c = names_find(&table->cells, cell);
    size_t m = names_find(&table->metrics, metric);
    for (size_t i = 0; i < table->n_values; i++) {
        const struct foreign_value *v = &table->values[i];
        if (v->metric == m && table->trials[v->trial].cell == c)
            return v->value;
    }
    return NAN;
}
