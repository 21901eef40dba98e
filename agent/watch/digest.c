#include "agent/watch/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <mbedtls/md.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGEST_BYTES 32u
#define PIECE_BYTES  32768u

static enum err add_all(mbedtls_md_context_t *md, int fd, const char *path,
                        struct why *why)
{
    unsigned char piece[PIECE_BYTES];
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) > 0)
        if (mbedtls_md_update(md, piece, (size_t)n))
            return err_set(why, ERR_INTERNAL, "%s: SHA-256 failed", path);
    return n ? err_errno(why, errno, "%s", path) : ERR_OK;
}

static enum err hash(int fd, const char *path, unsigned char *out,
                     struct why *why)
{
    mbedtls_md_context_t md;
    enum err e = ERR_OK;
    mbedtls_md_init(&md);
    if (mbedtls_md_setup(&md, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256),
                         0) ||
        mbedtls_md_starts(&md))
        e = err_set(why, ERR_NOMEM, "%s: no SHA-256", path);
    if (!e)
        e = add_all(&md, fd, path, why);
    if (!e && mbedtls_md_finish(&md, out))
        e = err_set(why, ERR_INTERNAL, "%s: SHA-256 failed", path);
    mbedtls_md_free(&md);
    return e;
}

enum err digest_file(const char *path, char hex[DIGEST_HEX_SIZE],
                     struct why *why)
{
    unsigned char bytes[DIGEST_BYTES];
    struct stat st;
    hex[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_errno(why, errno, "%s", path);
    enum err e = ERR_OK;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        e = err_set(why, ERR_INVALID, "%s: no plain file", path);
    if (!e)
        e = hash(fd, path, bytes, why);
    (void)close(fd);
    for (unsigned i = 0; !e && i < DIGEST_BYTES; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    return e;
}
