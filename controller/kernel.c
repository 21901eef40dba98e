#include "controller/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

#define RMEM_LOW  10240u    /* the seeds' "low": one small buffer for all */
#define RMEM_HIGH 16777216u /* and their "high" */

#define KERNEL_LIMIT_MIN 65536u /* no program runs in less */

static void set_rmem(struct trial_spec *spec, uint32_t min, uint32_t def,
                     uint32_t max)
{
    spec->rmem_min = min;
    spec->rmem_default = def;
    spec->rmem_max = max;
}

/* Three sizes between colons, checked one by one; their order is checked by
 * the caller. */
static enum err three(const char *value, uint64_t v[3], struct why *why)
{
    for (int i = 0; i < 3; i++) {
        char one[32];
        size_t len = strcspn(value, ":");
        if ((value[len] == ':') != (i < 2) || len >= sizeof one)
            return err_set(why, ERR_INVALID, "there are not three numbers");
        memcpy(one, value, len);
        one[len] = '\0';
        enum err e = units_bytes(one, &v[i], why);
        if (e)
            return e;
        value += len + 1;
    }
    return ERR_OK;
}

enum err kernel_rmem(const char *value, struct trial_spec *spec,
                     struct why *why)
{
    static const char accepted[] =
        "accepted: default, low, high or min:default:max in ascending order "
        "from 4k to 256m, such as 10240:87380:16777216";
    uint64_t v[3] = {0};
    set_rmem(spec, 0, 0, 0);
    if (!strcmp(value, "default"))
        return ERR_OK;
    if (!strcmp(value, "low")) {
        set_rmem(spec, RMEM_LOW, RMEM_LOW, RMEM_LOW);
        return ERR_OK;
    }
    if (!strcmp(value, "high")) {
        set_rmem(spec, RMEM_HIGH, RMEM_HIGH, RMEM_HIGH);
        return ERR_OK;
    }
    if (three(value, v, NULL))
        return err_set(why, ERR_INVALID, "\"%s\": %s", value, accepted);
    if (v[0] < KERNEL_RMEM_MIN || v[1] < v[0] || v[2] < v[1] ||
        v[2] > KERNEL_RMEM_MAX)
        return err_set(why, ERR_RANGE, "\"%s\": %s", value, accepted);
    set_rmem(spec, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]);
    return ERR_OK;
}

enum err kernel_congestion(const char *value, struct trial_spec *spec,
                           struct why *why)
{
    size_t len = strlen(value);
    if (!len || len > 15 ||
        strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_-") < len)
        return err_set(why, ERR_INVALID,
                       "\"%s\" is not the name of a congestion control such "
                       "as cubic or bbr",
                       value);
    return setup_copy(spec->congestion, sizeof spec->congestion, "congestion",
                      value, why);
}

/* "N" or "N-M" between joins; true when the whole text is such a list. */
static bool is_cpu_list(const char *text)
{
    const char *at = text;
    for (;;) {
        size_t digits = strspn(at, "0123456789");
        if (!digits || digits > 4)
            return false;
        at += digits;
        if (*at == '-') {
            digits = strspn(++at, "0123456789");
            if (!digits || digits > 4)
                return false;
            at += digits;
        }
        if (!*at)
            return true;
        if (*at++ != '+')
            return false;
    }
}

enum err kernel_pin(const char *value, struct trial_spec *spec, struct why *why)
{
    if (strcmp(value, "auto") && strcmp(value, "none") && !is_cpu_list(value))
        return err_set(why, ERR_INVALID,
                       "\"%s\" is not auto, none or CPUs such as 0-1+3", value);
    enum err e = setup_copy(spec->pin, sizeof spec->pin, "pin", value, why);
    for (char *c = spec->pin; !e && *c; c++)
        if (*c == '+')
            *c = ',';
    return e;
}

static bool read_cpus(const char *value, uint32_t *milli)
{
    char *end = NULL;
    double cpus = value[0] >= '0' && value[0] <= '9' ? strtod(value, &end) : 0;
    if (!end || *end || !(cpus >= 0.01) || cpus > 4096)
        return false;
    *milli = (uint32_t)lround(cpus * 1000);
    return true;
}

enum err kernel_limit(const char *name, const char *value,
                      struct trial_spec *spec, struct why *why)
{
    uint64_t n = 0;
    if (!strcmp(name, "memory")) {
        if (units_bytes(value, &n, NULL) || n < KERNEL_LIMIT_MIN ||
            n > INT64_MAX / 2)
            return err_set(why, ERR_INVALID,
                           "\"%s\" is no size from 64k on, such as 512m",
                           value);
        spec->limit_memory_bytes = n;
        return ERR_OK;
    }
    if (!strcmp(name, "cpus"))
        return read_cpus(value, &spec->limit_cpus_milli)
                   ? ERR_OK
                   : err_set(why, ERR_INVALID,
                             "\"%s\" is no number of processors from 0.01 "
                             "on, such as 1.5",
                             value);
    if (strcmp(name, "pids"))
        return err_set(why, ERR_INVALID,
                       "there are limit.memory, limit.cpus and limit.pids");
    if (units_u64(value, 4194304, &n, NULL) || !n)
        return err_set(why, ERR_INVALID,
                       "\"%s\" is no number of processes and threads from 1",
                       value);
    spec->limit_pids = (uint32_t)n;
    return ERR_OK;
}

enum err kernel_sysctl(const char *name, const char *value,
                       struct trial_spec *spec, struct why *why)
{
    uint64_t v[3] = {0};
    char three_numbers[80];
    if (strstr(name, "..") || !strchr(name, '.'))
        return err_set(why, ERR_INVALID,
                       "\"%s\" is no sysctl's name, such as "
                       "net.ipv4.tcp_sack",
                       name);
    if (!strcmp(name, "net.ipv4.tcp_rmem"))
        return err_set(why, ERR_INVALID,
                       "this is the factor rmem: -m rmem=low,high");
    if (!strcmp(name, "net.ipv4.tcp_wmem")) {
        if (three(value, v, NULL) || v[0] < KERNEL_RMEM_MIN || v[1] < v[0] ||
            v[2] < v[1] || v[2] > KERNEL_RMEM_MAX)
            return err_set(why, ERR_INVALID,
                           "\"%s\"; accepted: min:default:max in ascending "
                           "order from 4k to 256m",
                           value);
        (void)snprintf(three_numbers, sizeof three_numbers, "%llu %llu %llu",
                       (unsigned long long)v[0], (unsigned long long)v[1],
                       (unsigned long long)v[2]);
        value = three_numbers;
    }
    return setup_line(spec->sysctls, sizeof spec->sysctls, name, value, why);
}
