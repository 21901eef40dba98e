/* A track of a test's text, rendered. */
#ifndef PITWALL_TESTS_UNIT_TRACKS_RENDERED_H
#define PITWALL_TESTS_UNIT_TRACKS_RENDERED_H

#include "tests/lib/check.h"
#include "tests/unit/tracks/scratch.h"
#include "tracks/plan.h"
#include "tracks/track.h"

/* A small track whose parts a test replaces. */
#define HEAD                                                                   \
    "{\"version\": 2,\n"                                                       \
    " \"indices\": [{\"name\": \"a\"}],\n"                                     \
    " \"corpora\": [{\"name\": \"g\", \"documents\": [\n"                      \
    "   {\"generator\": \"geonames\", \"document-count\": 5000}]}],\n"         \
    " \"operations\": [\n"                                                     \
    "   {\"name\": \"fill\", \"operation-type\": \"bulk\",\n"                  \
    "    \"bulk-size\": 100}],\n"

#define SCHEDULE(items) HEAD " \"schedule\": [\n" items "]}\n"

/* Open a track of this text and render its challenge (NULL: the default). */
static inline enum err render(const char *text,
                              const struct track_options *options,
                              struct plan **plan, struct why *why)
{
    struct scratch s;
    struct track *track;
    char *json = NULL;
    scratch_init(&s);
    const char *path = scratch_file(&s, "t.json", text);
    *plan = NULL;
    enum err e = track_open(&track, path, NULL, 0, why);
    if (!e)
        e = track_render(track, options, &json, why);
    if (!e)
        check_ok(plan_parse(plan, json, strlen(json), why), *why);
    free(json);
    track_close(track);
    scratch_fini(&s);
    return e;
}

static inline struct plan *rendered(const char *text)
{
    struct why why = {0};
    struct plan *plan;
    check_ok(render(text, NULL, &plan, &why), why);
    return plan;
}

static inline void refuses(const char *text, const char *part)
{
    struct why why = {0};
    struct plan *plan;
    check_err(render(text, NULL, &plan, &why), ERR_INVALID);
    check_says(why, part);
}

#endif
