#include "agent/executor/sysctl.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/kernel_file.h"

_Static_assert(SYSCTL_VALUE_MAX == KERNEL_FILE_MAX, "one bound for both");

#define RMEM_MIN 4096u
#define RMEM_MAX (256u << 20)

enum err sysctl_rmem(uint32_t min, uint32_t def, uint32_t max,
                     char value[SYSCTL_VALUE_MAX], struct why *why)
{
    if (min < RMEM_MIN || def < min || max < def || max > RMEM_MAX)
        return err_set(why, ERR_INVALID,
                       "tcp_rmem %u:%u:%u; accepted: %u <= min <= default <= "
                       "max <= %u",
                       min, def, max, RMEM_MIN, RMEM_MAX);
    (void)snprintf(value, SYSCTL_VALUE_MAX, "%u %u %u", min, def, max);
    return ERR_OK;
}

/* "net.ipv4.tcp_x" to "/proc/sys/net/ipv4/tcp_x". The names are of letters,
 * digits, '_', '-' and single dots, so that none leads elsewhere. */
static bool path_of(const char *name, char *path, size_t size)
{
    static const char root[] = "/proc/sys/";
    size_t n = strlen(name);
    if (n == 0 || sizeof root + n > size || name[0] == '.' ||
        name[n - 1] == '.' || strstr(name, ".."))
        return false;
    memcpy(path, root, sizeof root);
    for (size_t i = 0; i <= n; i++) {
        char c = name[i];
        if (c && !isalnum((unsigned char)c) && c != '_' && c != '-' && c != '.')
            return false;
        path[sizeof root - 1 + i] = c == '.' ? '/' : c;
    }
    return true;
}

bool sysctl_in_namespace(const char *name)
{
    char path[160];
    if (strncmp(name, "net.", 4) != 0 || !path_of(name, path, sizeof path))
        return false;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

enum err sysctl_check(const char *name, const char *value, struct why *why)
{
    unsigned long long v[3];
    char rest;
    if (strcmp(name, "net.ipv4.tcp_rmem") != 0 &&
        strcmp(name, "net.ipv4.tcp_wmem") != 0)
        return ERR_OK;
    if (strspn(value, "0123456789 \t") == strlen(value) &&
        sscanf(value, "%llu %llu %llu %c", &v[0], &v[1], &v[2], &rest) == 3 &&
        RMEM_MIN <= v[0] && v[0] <= v[1] && v[1] <= v[2] && v[2] <= RMEM_MAX)
        return ERR_OK;
    return err_set(why, ERR_INVALID,
                   "%s \"%.60s\"; accepted: three numbers, %u <= min <= "
                   "default <= max <= %u",
                   name, value, RMEM_MIN, RMEM_MAX);
}

/* One space between words, none around. */
void sysctl_normalise(char *to, size_t size, const char *from)
{
    size_t n = 0;
    for (; *from; from++) {
        bool blank = isspace((unsigned char)*from);
        if (blank && (n == 0 || to[n - 1] == ' '))
            continue;
        if (n + 1 < size)
            to[n++] = blank ? ' ' : *from;
    }
    if (n && to[n - 1] == ' ')
        n--;
    to[n] = '\0';
}

static enum err transfer(const char *name, const char *write_value,
                         char *read_value, struct why *why)
{
    char path[160];
    if (!path_of(name, path, sizeof path))
        return err_set(why, ERR_INVALID, "\"%.80s\" is no sysctl's name", name);
    return kernel_file(path, name, write_value, read_value, why);
}

enum err sysctl_get(const char *name, char value[SYSCTL_VALUE_MAX],
                    struct why *why)
{
    return transfer(name, NULL, value, why);
}

enum err sysctl_put(const char *name, const char *value, struct why *why)
{
    return transfer(name, value, NULL, why);
}

enum err sysctl_set(const char *name, const char *value, struct why *why)
{
    char old[SYSCTL_VALUE_MAX], want[SYSCTL_VALUE_MAX], got[SYSCTL_VALUE_MAX];
    if (strlen(value) >= SYSCTL_VALUE_MAX)
        return err_set(why, ERR_RANGE, "%s: a value of %zu bytes", name,
                       strlen(value));
    sysctl_normalise(want, sizeof want, value);
    enum err e = sysctl_get(name, old, why);
    if (e)
        return e;
    e = transfer(name, want, NULL, why);
    struct why unread;
    if (sysctl_get(name, got, &unread))
        return err_set(why, ERR_IO, "read %s back: %s", name, unread.text);
    if (!e && !strcmp(got, want))
        return ERR_OK;
    if (!e)
        e = err_set(why, ERR_INVALID, "%s is \"%s\" after writing \"%s\"", name,
                    got, want);
    /* A partial write may have changed something: put the old value back. */
    if (strcmp(got, old) != 0 && transfer(name, old, NULL, NULL))
        (void)err_wrap(why, e, "(and \"%s\" could not be put back)", old);
    return e;
}
