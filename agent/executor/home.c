#include "agent/executor/home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/attempt_dir.h"
#include "common/clock.h"

#define LOCK_NS       NS_PER_S
#define LOCK_AGAIN_NS (5 * NS_PER_MS)

/* Make path with all that leads to it; others may pass, not look. */
static enum err make_folders(const char *path, struct why *why)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return err_set(why, ERR_RANGE, "%s: too long", path);
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        char kept = part[i];
        part[i] = '\0';
        if (mkdir(part, 0711) && errno != EEXIST)
            return err_errno(why, errno, "--state %s: make %s", path, part);
        part[i] = kept;
    }
    return ERR_OK;
}

/* Whether it is ours now. Children that a killed agent was just making hold its
 * lock until they have died of its death: that is waited for. */
static bool take_lock(int fd)
{
    uint64_t due_ns = clock_mono_ns() + LOCK_NS;
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK || clock_mono_ns() >= due_ns)
            return false;
        clock_sleep_until(clock_mono_ns() + LOCK_AGAIN_NS);
    }
    return true;
}

static enum err lock_it(struct home *home, const char *path, struct why *why)
{
    home->lock =
        openat(home->state, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (home->lock < 0)
        return err_errno(why, errno, "%s/lock", path);
    if (take_lock(home->lock))
        return ERR_OK;
    if (errno == EWOULDBLOCK)
        return err_set(why, ERR_BUSY,
                       "state folder %s: another pitwall-agent has it; give "
                       "this one its own by --state DIR",
                       path);
    return err_errno(why, errno, "lock %s/lock", path);
}

static enum err open_attempts(struct home *home, const char *path,
                              struct why *why)
{
    int n = snprintf(home->attempts_path, sizeof home->attempts_path,
                     "%s/attempts", path);
    if (n < 0 || (size_t)n >= sizeof home->attempts_path)
        return err_set(why, ERR_RANGE, "%s: too long", path);
    (void)snprintf(home->cache_path, sizeof home->cache_path, "%s/cache", path);
    if (mkdirat(home->state, "cache", 0700) && errno != EEXIST)
        return err_errno(why, errno, "make %s", home->cache_path);
    if (mkdirat(home->state, "attempts", 0700) && errno != EEXIST)
        return err_errno(why, errno, "make %s", home->attempts_path);
    home->attempts = openat(home->state, "attempts",
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return home->attempts < 0 ? err_errno(why, errno, "%s", home->attempts_path)
                              : ERR_OK;
}

enum err home_open(struct home *home, const char *path, unsigned *sealed,
                   struct why *why)
{
    *home = HOME_NONE;
    *sealed = 0;
    enum err e = make_folders(path, why);
    if (!e) {
        home->state = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (home->state < 0)
            e = err_errno(why, errno, "state folder %s", path);
    }
    if (!e)
        e = lock_it(home, path, why);
    if (!e)
        e = open_attempts(home, path, why);
    if (!e)
        e = attempt_dir_recover(home->attempts, sealed, why);
    if (e)
        home_close(home);
    return e;
}

void home_close(struct home *home)
{
    const int fds[] = {home->attempts, home->lock, home->state};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    *home = HOME_NONE;
}
