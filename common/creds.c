#include "common/creds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/secret.h"

/* The whole file as a text. */
static enum err read_text(int fd, char **out, struct why *why)
{
    size_t len = 0;
    ssize_t n = 1;
    char *text = calloc(1, CREDS_FILE_MAX + 2);
    if (!text)
        return err_set(why, ERR_NOMEM, "out of memory");
    while (len <= CREDS_FILE_MAX && n > 0) {
        n = pread(fd, text + len, CREDS_FILE_MAX + 1 - len, (off_t)len);
        len += n > 0 ? (size_t)n : 0;
    }
    *out = text;
    if (n < 0)
        return err_errno(why, errno, "read");
    if (len > CREDS_FILE_MAX)
        return err_set(why, ERR_RANGE, "more than %u bytes", CREDS_FILE_MAX);
    return ERR_OK;
}

static enum err check_ca(const struct creds *c, struct why *why)
{
    struct cert ca;
    enum err e = cert_read(&ca, c->ca, why);
    if (!e && !ca.authority)
        e = err_set(why, ERR_INVALID,
                    "the certificate of \"%s\" is no authority's", ca.name);
    return e;
}

static enum err check_cert(struct creds *c, bool agent, struct why *why)
{
    enum err e = cert_read(&c->own, c->cert, why);
    if (!e && (agent ? !c->own.agent : !c->own.controller))
        e = err_set(why, ERR_INVALID,
                    "the certificate of \"%s\" is not %s's; accepted: one of "
                    "`pitwall ca issue --role %s`",
                    c->own.name, agent ? "an agent" : "a controller",
                    agent ? "agent" : "controller");
    return e;
}

/* Take the descriptors in; names head complaints. */
static enum err take(struct creds *out, const int fds[3],
                     const char *const names[3], bool agent, struct why *why)
{
    char **const to[] = {&out->ca, &out->cert, &out->key};
    enum err e = ERR_OK;
    int i = 0;
    for (; i < 3; i++) {
        e = read_text(fds[i], to[i], why);
        if (!e && i == 0)
            e = check_ca(out, why);
        if (!e && i == 1)
            e = check_cert(out, agent, why);
        if (!e && i == 2)
            e = cert_owns(out->cert, out->key, why);
        if (e)
            break;
    }
    if (!e)
        return ERR_OK;
    creds_free(out);
    return err_wrap(why, e, "%s", names[i]);
}

enum err creds_read(struct creds *out, const int fds[3], bool agent,
                    struct why *why)
{
    static const char *const names[] = {"tls.ca", "tls.cert", "tls.key"};
    *out = (struct creds){.ca = NULL};
    return take(out, fds, names, agent, why);
}

enum err creds_load(struct creds *out, const struct tls_files *files,
                    bool agent, struct why *why)
{
    const char *const names[] = {files->ca, files->cert, files->key};
    int fds[] = {-1, -1, -1};
    enum err e = ERR_OK;
    *out = (struct creds){.ca = NULL};
    for (int i = 0; !e && i < 2; i++) {
        fds[i] = open(names[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fds[i] < 0)
            e = err_errno(why, errno, "%s", names[i]);
    }
    if (!e)
        e = secret_open(files->key, &fds[2], why);
    if (!e)
        e = take(out, fds, names, agent, why);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    return e;
}

void creds_free(struct creds *c)
{
    if (c->key)
        explicit_bzero(c->key, strlen(c->key));
    free(c->ca);
    free(c->cert);
    free(c->key);
    *c = (struct creds){.ca = NULL};
}
