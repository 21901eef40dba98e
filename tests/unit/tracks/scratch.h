/* A directory of its own for a test's track files. */
#ifndef PITWALL_TESTS_UNIT_TRACKS_SCRATCH_H
#define PITWALL_TESTS_UNIT_TRACKS_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
    char dir[64];
    char *paths[8];
    size_t n;
};

static inline void scratch_init(struct scratch *s)
{
    *s = (struct scratch){.dir = "/tmp/pitwall-tracks-XXXXXX"};
    if (!mkdtemp(s->dir))
        abort();
}

/* Write name with this text; the path is valid until scratch_fini. */
static inline const char *scratch_file(struct scratch *s, const char *name,
                                       const char *text)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", s->dir, name) < 0)
        abort();
    s->paths[s->n++] = path;
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f))
        abort();
    return path;
}

static inline void scratch_fini(struct scratch *s)
{
    while (s->n) {
        (void)unlink(s->paths[--s->n]);
        free(s->paths[s->n]);
    }
    (void)rmdir(s->dir);
}

#endif
