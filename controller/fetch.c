#include "controller/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "controller/file.h"

struct place {
    const char *folder;
    bool made;
    struct grid *grid;
};

/* Nothing outside the folder, nothing hidden. */
static bool is_file_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

static void list(struct grid *grid, const struct artifact *a, const char *path)
{
    char bytes[32];
    size_t row = grid_row(grid);
    (void)snprintf(bytes, sizeof bytes, "%zu", a->bytes);
    grid_text(grid, row, 0, a->name);
    grid_value(grid, row, 1, (double)a->bytes, bytes);
    grid_text(grid, row, 2, a->sha256);
    if (*path)
        grid_text(grid, row, 3, path);
}

/* Made only once there is something to put into it. */
static enum err make_folder(struct place *place, struct why *why)
{
    if (!place->made && mkdir(place->folder, 0777) && errno != EEXIST)
        return err_errno(why, errno, "make folder %s", place->folder);
    place->made = true;
    return ERR_OK;
}

static enum err write_one(void *ctx, const struct artifact *a, struct why *why)
{
    struct place *place = ctx;
    char path[4096] = "";
    if (!place->folder) {
        list(place->grid, a, path);
        return ERR_OK;
    }
    if (!is_file_name(a->name))
        return err_set(why, ERR_INVALID, "artifact \"%.80s\": no file's name",
                       a->name);
    int n = snprintf(path, sizeof path, "%s/%s", place->folder, a->name);
    if (n < 0 || (size_t)n >= sizeof path)
        return err_set(why, ERR_RANGE, "path \"%.60s...\" is too long", path);
    enum err e = make_folder(place, why);
    if (!e)
        e = file_write(path, a->content, a->bytes, why);
    if (!e)
        list(place->grid, a, path);
    return e;
}

enum err fetch(struct store *store, const char *trial, const char *name,
               const char *folder, struct grid *grid, struct why *why)
{
    struct place place = {.folder = folder, .grid = grid};
    grid_column(grid, "artifact", "", false);
    grid_column(grid, "size", "bytes", true);
    grid_column(grid, "sha256", "", false);
    if (folder)
        grid_column(grid, "file", "", false);
    return artifact_each(store, trial, name, write_one, &place, why);
}
