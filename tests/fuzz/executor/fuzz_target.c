/* Definitions of targets: whatever is accepted can be rendered, or says why
 * not, and stands in its line of what is mapped. */
#include <stdlib.h>
#include <string.h>

#include "agent/executor/target_make.h"
#include "agent/executor/target_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct command argv, env;

static void render(const struct targets *targets)
{
    static const struct target_ground ground = {
        .address = "127.0.0.1", .data = "/w", .port = 9200, .cpus = 1};
    struct trial_spec spec = {.heap_bytes = 1 << 30, .predictor = "fixed:64k"};
    struct why why = {0};
    char maps[2048];
    target_maps(targets, maps, sizeof maps);
    if (strnlen(maps, sizeof maps) == sizeof maps)
        abort();
    const struct target_def *def = &targets->items[0];
    if (!def->contract && !def->unmanaged &&
        target_make(&argv, &env, def, &spec, &ground, &why) && !why.text[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct targets targets = {.n = 0};
    struct jv *root = NULL;
    struct why why = {0};
    if (size > TARGET_FILE_MAX ||
        jv_parse(&root, "own.json", (const char *)data, size, &why))
        return 0;
    if (targets_keep(&targets, root, &why))
        return 0;
    if (!target_read(&targets, "own", "/nowhere", root, &why))
        render(&targets);
    else if (!why.text[0])
        abort();
    targets_free(&targets);
    return 0;
}
