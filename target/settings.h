/* Every option of pitwall-target, as it is in force. */
#ifndef PITWALL_TARGET_SETTINGS_H
#define PITWALL_TARGET_SETTINGS_H

#include "common/stall.h"
#include "target/out.h"
#include "target/predictor.h"

#define SETTINGS_THREADS_MAX 64u /* of either kind */
#define SETTINGS_STATIC_MAX  (16u << 20)
#define SETTINGS_PARSE_MAX   1024u
#define SETTINGS_SLOW_MAX_NS 60000000000ull

enum settings_mode { SETTINGS_INGEST, SETTINGS_STATIC };

struct settings {
    char host[64];                                    /* an address, no name */
    uint16_t port;                                    /* 0: any free one */
    uint64_t heap_bytes, young_bytes, min_tlab_bytes; /* 0: the heap's own */
    struct predictor_spec predictor;
    uint32_t initial_buffer; /* chars */
    uint32_t max_components;
    bool body_copy;
    uint32_t threads, bulk_threads, bulk_queue;
    bool index;   /* fts; else none */
    bool durable; /* every commit; else at a flush */
    uint32_t shards;
    uint64_t native_limit_bytes; /* 0: none */
    uint32_t parse_work;         /* parse.h; 0: lines are read where they are */
    char data[1024];             /* "" none */
    char gc_log[1024], alloc_log[1024]; /* "" none */
    bool pretouch_all;
    enum settings_mode mode;
    uint32_t static_bytes;
    struct stall stall;
    uint64_t slow_ns;  /* more for each bulk */
    double slow_share; /* slow.h, of the work */
    bool child;
};

/* The defaults of cli.md; threads are the CPUs that this process may use. */
void settings_default(struct settings *s);

/* Set one option by its long name: "predictor", "fixed:64k". ERR_USAGE or
 * ERR_RANGE naming the option, the value and what is accepted; ERR_NOTFOUND:
 * no such option. */
CHECKED enum err settings_set(struct settings *s, const char *name,
                              const char *value, struct why *why);

/* What only all options together can break. ERR_USAGE, ERR_RANGE. */
CHECKED enum err settings_check(const struct settings *s, struct why *why);

/* Write all of them as a member "settings" of the object at hand. */
void settings_write(const struct settings *s, struct out *o);

#endif
