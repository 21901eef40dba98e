#include "agent/executor/knob.h"

#include <stdio.h>
#include <string.h>

#include "agent/executor/kernel_file.h"
#include "agent/executor/nic_knob.h"
#include "agent/executor/sysctl.h"

_Static_assert(SYSCTL_VALUE_MAX == CHANGE_VALUE_MAX, "a sysctl's value fits");

/* "eth0 mtu" to "eth0" and "mtu". */
static const char *split(const char *target, char dev[16])
{
    size_t n = strcspn(target, " ");
    if (n == 0 || n > 15 || !target[n])
        return NULL;
    memcpy(dev, target, n);
    dev[n] = '\0';
    return target + n + 1;
}

/* Of "a [b] c" the b: how sysfs shows a choice. */
static void chosen(char *value)
{
    const char *open = strchr(value, '['), *close = strchr(value, ']');
    if (!open || !close || close < open)
        return;
    size_t n = (size_t)(close - open) - 1;
    memmove(value, open + 1, n);
    value[n] = '\0';
}

static enum err sysfs(const char *path, const char *write_value,
                      char *read_value, struct why *why)
{
    if (strncmp(path, "/sys/", 5) != 0 || strstr(path, "/.."))
        return err_set(why, ERR_INVALID, "\"%s\" is not below /sys", path);
    enum err e = kernel_file(path, path, write_value, read_value, why);
    if (!e && read_value)
        chosen(read_value);
    return e;
}

enum err knob_get(enum change_kind kind, const char *target,
                  char value[CHANGE_VALUE_MAX], struct why *why)
{
    char dev[16];
    const char *knob = kind == CHANGE_NIC ? split(target, dev) : NULL;
    value[0] = '\0';
    if (kind == CHANGE_SYSCTL)
        return sysctl_get(target, value, why);
    if (kind == CHANGE_SYSFS)
        return sysfs(target, NULL, value, why);
    return knob ? nic_knob_get(dev, knob, value, why)
                : err_set(why, ERR_INVALID,
                          "\"%s\" is no setting of an "
                          "interface",
                          target);
}

enum err knob_put(enum change_kind kind, const char *target, const char *value,
                  struct why *why)
{
    char dev[16];
    const char *knob = kind == CHANGE_NIC ? split(target, dev) : NULL;
    if (kind == CHANGE_SYSCTL)
        return sysctl_put(target, value, why);
    if (kind == CHANGE_SYSFS)
        return sysfs(target, value, NULL, why);
    return knob ? nic_knob_put(dev, knob, value, why)
                : err_set(why, ERR_INVALID,
                          "\"%s\" is no setting of an "
                          "interface",
                          target);
}
