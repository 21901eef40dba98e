#include "agent/executor/user.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

/* The two folders above it may be passed through, not listed, by their names:
 * STATE/attempts and the attempt's. */
static enum err let_through(const char *work, struct why *why)
{
    static const char *const above[] = {"..", "../.."};
    int dir = open(work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum err e = dir < 0 ? err_errno(why, errno, "%s", work) : ERR_OK;
    for (size_t i = 0; !e && i < 2; i++)
        if (fchmodat(dir, above[i], 0711, 0))
            e = err_errno(why, errno, "let the target's user through %s/%s",
                          work, above[i]);
    if (dir >= 0)
        (void)close(dir);
    return e;
}

/* The folder and the files in it: there are no others when a target starts. */
static enum err give(const char *work, uid_t uid, gid_t gid, struct why *why)
{
    enum err e = ERR_OK;
    DIR *dir = opendir(work);
    if (!dir)
        return err_errno(why, errno, "%s", work);
    if (fchown(dirfd(dir), uid, gid))
        e = err_errno(why, errno, "give %s away", work);
    for (struct dirent *d; !e && (d = readdir(dir));)
        if (d->d_name[0] != '.' &&
            fchownat(dirfd(dir), d->d_name, uid, gid, AT_SYMLINK_NOFOLLOW))
            e = err_errno(why, errno, "give %s away", d->d_name);
    (void)closedir(dir);
    return e;
}

enum err user_apply(const struct setup *setup, struct process_plan *plan,
                    struct why *why)
{
    const char *name = setup->target->user;
    if (!name[0] || setup->mode == FACTS_PLAIN)
        return ERR_OK;
    errno = 0;
    const struct passwd *p = getpwnam(name);
    if (!p)
        return err_set(why, ERR_NOTFOUND,
                       "target %s: no user \"%s\" on this machine",
                       setup->target->name, name);
    plan->as_user = true;
    plan->uid = p->pw_uid;
    plan->gid = p->pw_gid;
    plan->in_userns = setup->mode == FACTS_USERNS;
    if (plan->in_userns)
        return ERR_OK;
    enum err e = let_through(setup->work, why);
    return e ? e : give(setup->work, p->pw_uid, p->pw_gid, why);
}
