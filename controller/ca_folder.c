#include "controller/ca_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cert.h"
#include "common/secret.h"

#define DAY_S    86400
#define PUBLIC   0644
#define KEY_MODE 0600

static const char *const authority_names[] = {"agents-ca", "controllers-ca"};

/* DIR/NAME.SUFFIX, or DIR/NAME/SUFFIX. */
static enum err join(char out[PATH_MAX], const char *dir, const char *name,
                     const char *rest, struct why *why)
{
    int n = snprintf(out, PATH_MAX, "%s/%s%s", dir, name, rest);
    return n > 0 && n < PATH_MAX - 8
               ? ERR_OK
               : err_set(why, ERR_RANGE, "\"%.60s...\": too long", dir);
}

static enum err make_folder(const char *path, struct why *why)
{
    if (mkdir(path, 0700) && errno != EEXIST)
        return err_errno(why, errno, "make %s", path);
    return ERR_OK;
}

static enum err write_pair(const char *dir, const char *name,
                           const char *cert_rest, const char *key_rest,
                           const struct ca_pair *pair, struct why *why)
{
    char cert[PATH_MAX], key[PATH_MAX];
    enum err e = join(cert, dir, name, cert_rest, why);
    if (!e)
        e = join(key, dir, name, key_rest, why);
    if (!e)
        e = secret_write(key, pair->key, strlen(pair->key), KEY_MODE, why);
    return e ? e
             : secret_write(cert, pair->cert, strlen(pair->cert), PUBLIC, why);
}

static enum err make_authority(const char *dir, enum ca_role role,
                               int64_t now_s, struct why *why)
{
    struct ca_pair pair;
    const struct ca_wish wish = {.name = authority_names[role],
                                 .authority = true,
                                 .role = role,
                                 .from_s = now_s - DAY_S,
                                 .until_s = now_s + (int64_t)CA_FOLDER_YEARS *
                                                        365 * DAY_S};
    enum err e = ca_make(&pair, &wish, NULL, why);
    if (!e)
        e = write_pair(dir, wish.name, ".crt", ".key", &pair, why);
    explicit_bzero(&pair, sizeof pair);
    return e;
}

enum err ca_folder_init(const char *dir, int64_t now_s, struct why *why)
{
    char path[PATH_MAX];
    enum err e = make_folder(dir, why);
    for (int r = CA_AGENT; !e && r <= CA_CONTROLLER; r++) {
        e = join(path, dir, authority_names[r], ".key", why);
        if (!e && !access(path, F_OK))
            e = err_set(why, ERR_EXISTS,
                        "%s is there already: whoever trusts it would have to "
                        "be told",
                        path);
    }
    for (int r = CA_AGENT; !e && r <= CA_CONTROLLER; r++)
        e = make_authority(dir, (enum ca_role)r, now_s, why);
    return e;
}

/* A text of less than CA_PEM_MAX bytes. */
static enum err read_pem(int fd, char out[CA_PEM_MAX], const char *path,
                         struct why *why)
{
    ssize_t n = read(fd, out, CA_PEM_MAX);
    if (n < 0)
        return err_errno(why, errno, "%s", path);
    if ((size_t)n == CA_PEM_MAX)
        return err_set(why, ERR_RANGE, "%s: more than %u bytes", path,
                       CA_PEM_MAX - 1);
    out[n] = '\0';
    return ERR_OK;
}

static enum err read_cert(char out[CA_PEM_MAX], const char *dir,
                          enum ca_role role, struct why *why)
{
    char path[PATH_MAX];
    enum err e = join(path, dir, authority_names[role], ".crt", why);
    if (e)
        return e;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(why, errno, "%s", path);
    e = read_pem(fd, out, path, why);
    (void)close(fd);
    return e;
}

static enum err read_authority(struct ca_pair *out, const char *dir,
                               enum ca_role role, struct why *why)
{
    char path[PATH_MAX];
    int fd = -1;
    enum err e = join(path, dir, authority_names[role], ".key", why);
    if (!e)
        e = secret_open(path, &fd, why);
    if (e == ERR_NOTFOUND)
        return err_wrap(why, e, "no authority; pitwall ca init makes it");
    if (!e)
        e = read_pem(fd, out->key, path, why);
    if (fd >= 0)
        (void)close(fd);
    return e ? e : read_cert(out->cert, dir, role, why);
}

/* DIR/NAME with what goes to that machine: the other role's authority too. */
static enum err write_folder(const struct ca_folder_wish *w,
                             const struct ca_pair *pair, struct why *why)
{
    char folder[PATH_MAX], path[PATH_MAX], trusted[CA_PEM_MAX];
    enum ca_role other = w->role == CA_AGENT ? CA_CONTROLLER : CA_AGENT;
    enum err e = join(folder, w->dir, w->name, "", why);
    if (!e)
        e = read_cert(trusted, w->dir, other, why);
    if (!e)
        e = make_folder(folder, why);
    if (!e)
        e = join(path, folder, "ca.pem", "", why);
    if (!e)
        e = secret_write(path, trusted, strlen(trusted), PUBLIC, why);
    return e ? e : write_pair(folder, "", "cert.pem", "key.pem", pair, why);
}

enum err ca_folder_issue(const struct ca_folder_wish *w, int64_t *until_s,
                         struct why *why)
{
    struct ca_pair authority, pair;
    struct cert made = {.until_s = 0};
    char path[PATH_MAX];
    const struct ca_wish wish = {.name = w->name,
                                 .role = w->role,
                                 .from_s = w->now_s - DAY_S,
                                 .until_s = w->now_s + w->valid_s};
    enum err e = ca_name(w->name, why);
    if (!e)
        e = join(path, w->dir, w->name, "/cert.pem", why);
    if (!e && !w->renew && !access(path, F_OK))
        e = err_set(why, ERR_EXISTS, "%s is there already; --renew replaces it",
                    path);
    if (!e)
        e = read_authority(&authority, w->dir, w->role, why);
    if (!e)
        e = ca_make(&pair, &wish, &authority, why);
    if (!e)
        e = cert_read(&made, pair.cert, why);
    if (!e)
        e = write_folder(w, &pair, why);
    *until_s = made.until_s;
    explicit_bzero(&authority, sizeof authority);
    explicit_bzero(&pair, sizeof pair);
    return e;
}
