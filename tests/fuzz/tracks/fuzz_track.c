/* What a track renders must be a plan. The files it may name are those of an
 * empty directory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracks/plan.h"
#include "tracks/track.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(const struct track *track, const char *challenge)
{
    const struct track_options options = {.challenge = challenge};
    struct why why = {0};
    struct plan *plan;
    char *json;
    if (track_render(track, &options, &json, &why))
        return;
    if (plan_parse(&plan, json, strlen(json), &why)) {
        (void)fprintf(stderr, "%s\n%s\n", why.text, json);
        abort();
    }
    plan_free(plan);
    free(json);
}

static char dir[] = "/tmp/pitwall-fuzz-XXXXXX";

static void remove_dir(void)
{
    (void)rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    static int made;
    const struct track_param param = {"clients", "3"};
    struct why why = {0};
    struct track *track;
    const char *challenge;
    if (!made++ && (!mkdtemp(dir) || atexit(remove_dir)))
        abort();
    (void)snprintf(path, sizeof path, "%s/t.json", dir);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
    if (track_open(&track, path, &param, size % 2, &why) == ERR_OK)
        for (size_t i = 0; (challenge = track_challenge(track, i)); i++)
            render(track, challenge);
    track_close(track);
    (void)unlink(path);
    return 0;
}
