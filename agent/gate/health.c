#include "agent/gate/health.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

/* Of connections beside those of known peers: about 30 KB each. */
#define SPARE_IDLE 128u
#define SPARE_BUSY 1024u
#define RSS_GROWTH (64ull << 20)

enum health health_look(struct health_state *state,
                        const struct health_counts *now, unsigned peers,
                        bool idle)
{
    unsigned own = state->first.files + peers;
    unsigned spare = now->files > own ? now->files - own : 0;
    bool many = spare > (idle ? SPARE_IDLE : SPARE_BUSY);
    bool renewed = state->renewed;
    state->renewed = false;
    if (now->files >= state->files_max - state->files_max / 5)
        return HEALTH_END; /* soon it could not even look */
    if (many && renewed)   /* that did not help: they are lost, not idle */
        return HEALTH_END;
    if (idle && now->rss_bytes > state->first.rss_bytes + RSS_GROWTH)
        return HEALTH_END;
    state->renewed = many;
    return many ? HEALTH_RENEW : HEALTH_GOOD;
}

static unsigned count_files(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    if (dir)
        (void)closedir(dir);
    return n > 3 ? n - 3 : 0; /* ".", "..", and that folder's own */
}

struct health_counts health_count(void)
{
    struct health_counts out = {.files = count_files()};
    unsigned long size, resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    if (f)
        (void)fclose(f);
    out.rss_bytes = (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
    return out;
}
