/* An experiment as an operator writes it: a track, axes with their levels,
 * conditions, and how often and in which order. A plain value of bounded size
 * (some 600 KB: on the heap), built from a file (experiment_file.h), from
 * options, or both. */
#ifndef PITWALL_CONTROLLER_EXPERIMENT_H
#define PITWALL_CONTROLLER_EXPERIMENT_H

#include "controller/devices.h"
#include "controller/level.h"
#include "controller/order.h"
#include "results/accept.h"

#define EXPERIMENT_AXES_MAX       16u
#define EXPERIMENT_EXCLUDES_MAX   64u
#define EXPERIMENT_ZIPS_MAX       8u
#define EXPERIMENT_ITERATIONS_MAX 10000u
#define EXPERIMENT_NAME_MAX       128u
#define EXPERIMENT_PATH_MAX       1024u
#define EXPERIMENT_NOTE_MAX       1000u

/* One axis of the matrix: a factor and its levels in the order written. */
struct axis {
    char name[SETUP_NAME_MAX + 16]; /* "heap", "track.bulk_size" */
    struct level levels[LEVEL_LIST_MAX];
    size_t n_levels;
};

/* Cells that hold all of these levels are left out. */
struct exclude {
    uint64_t levels[EXPERIMENT_AXES_MAX]; /* a bit per level; 0: any */
    char text[256];                       /* as written */
};

/* Axes of equal length that advance together: a bit per axis. */
struct zip {
    uint32_t axes;
};

enum canary { CANARY_AUTO, CANARY_ON, CANARY_OFF };

struct experiment {
    char name[EXPERIMENT_NAME_MAX + 1];
    char track[EXPERIMENT_PATH_MAX];    /* as written, "" not yet given */
    char folder[EXPERIMENT_PATH_MAX];   /* of the file, "" without one */
    char challenge[SETUP_NAME_MAX + 1]; /* "": the track's default one */
    char target[SETUP_NAME_MAX + 1];
    struct axis axes[EXPERIMENT_AXES_MAX];
    size_t n_axes;
    struct exclude excludes[EXPERIMENT_EXCLUDES_MAX];
    size_t n_excludes;
    struct zip zips[EXPERIMENT_ZIPS_MAX];
    size_t n_zips;
    uint32_t iterations;
    enum order_kind order;
    uint64_t seed;
    bool has_seed;
    uint64_t warmup_ns, measure_ns;
    char telemetry[DEVICES_MAX]; /* devices, comma separated */
    enum canary canary;
    struct accept accept;               /* of disturbances */
    char note[EXPERIMENT_NOTE_MAX + 1]; /* shown above its reports; "": none */
};

/* The values in force where nothing is said: 6 iterations, blocks, 2 s of
 * warm-up, 10 s measured, all telemetry, canary auto. */
void experiment_init(struct experiment *ex);

/* Add an axis with levels [n], or replace the one of that name. Each level is
 * parsed. ERR_INVALID: unknown factor, a level that does not parse, none, two
 * of one label or of one effect; ERR_RANGE: too many. */
CHECKED enum err experiment_axis(struct experiment *ex, const char *name,
                                 const struct level *levels, size_t n,
                                 struct why *why);

/* The option -m: "NAME=LEVEL,LEVEL,...". */
CHECKED enum err experiment_option(struct experiment *ex, const char *text,
                                   struct why *why);

/* An exclude "heap=1g,predictor=fixed:16k": labels or values; the same factor
 * twice means either level. ERR_INVALID: no such axis or level. */
CHECKED enum err experiment_exclude(struct experiment *ex, const char *text,
                                    struct why *why);

/* A zip "rmem,link". ERR_INVALID: fewer than two, no such axis, one in two
 * zips, unequal numbers of levels. */
CHECKED enum err experiment_zip(struct experiment *ex, const char *text,
                                struct why *why);

/* Take a level out of an axis that has others; excludes that spoke of it alone
 * go with it. The experiment must have no zips. */
void experiment_drop(struct experiment *ex, size_t axis, size_t level);

/* Telemetry devices "link,tcp": known ones, each once. */
CHECKED enum err experiment_telemetry(struct experiment *ex, const char *text,
                                      struct why *why);

/* Whether any device asks for extra trials. */
bool experiment_extra(const struct experiment *ex);

/* The devices of a trial into list: all, or all but those of extra trials.
 * ERR_RANGE: no room. */
CHECKED enum err experiment_devices(const struct experiment *ex, bool extra,
                                    char *list, size_t size, struct why *why);

/* "blocks", "random", "listed"; "auto", "on", "off"; whole numbers. */
CHECKED enum err experiment_order(struct experiment *ex, const char *text,
                                  struct why *why);
CHECKED enum err experiment_canary(struct experiment *ex, const char *text,
                                   struct why *why);
CHECKED enum err experiment_iterations(struct experiment *ex, const char *text,
                                       struct why *why);

#endif
