#include "controller/devices.h"

#include <string.h>

#include "controller/setup.h"

static const char known[] = "link,tcp,cpu,disk,proc,target,capacity,perf,reads";
/* What slows the trial down, and so has trials of its own. */
static const char extras[] = "perf,reads";

/* Whether word (len bytes) stands in the comma-separated list. */
static bool in_list(const char *list, const char *word, size_t len)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == len && !strncmp(at, word, len))
            return true;
    }
    return false;
}

enum err devices_check(const char *list, struct why *why)
{
    for (const char *at = list; strcmp(list, "none") != 0;) {
        size_t len = strcspn(at, ",");
        if (!len || !in_list(known, at, len))
            return err_set(why, ERR_INVALID,
                           "\"%.*s\" is not one of %s (or none alone)",
                           (int)len, at, known);
        if (at[len] && in_list(at + len + 1, at, len))
            return err_set(why, ERR_INVALID, "%.*s stands there twice",
                           (int)len, at);
        if (!at[len])
            break;
        at += len + 1;
    }
    return ERR_OK;
}

bool devices_extra(const char *list)
{
    for (const char *at = list; *at;) {
        size_t len = strcspn(at, ",");
        if (in_list(extras, at, len))
            return true;
        at += len + (at[len] == ',');
    }
    return false;
}

enum err devices_keep(const char *list, bool extra, char *out, size_t size,
                      struct why *why)
{
    char kept[DEVICES_MAX] = "";
    size_t used = 0;
    for (const char *at = list; *at;) {
        size_t len = strcspn(at, ",");
        if (extra || !in_list(extras, at, len)) {
            if (used + len + 2 > sizeof kept)
                return err_set(why, ERR_RANGE, "telemetry: %.40s...", list);
            kept[used] = ',';
            memcpy(kept + used + (used > 0), at, len);
            used += len + (used > 0);
        }
        at += len + (at[len] == ',');
    }
    kept[used] = '\0';
    return setup_copy(out, size, "telemetry", used ? kept : "none", why);
}

enum err devices_level(const char *level, char *out, size_t size,
                       struct why *why)
{
    char list[DEVICES_MAX];
    enum err e = setup_copy(list, sizeof list, "telemetry", level, why);
    for (char *at = e ? NULL : strchr(list, '+'); at; at = strchr(at, '+'))
        *at = ',';
    if (!e)
        e = devices_check(list, why);
    if (!e && devices_extra(list))
        e = err_set(why, ERR_INVALID,
                    "\"%s\": %s have trials of their own, by --telemetry",
                    level, extras);
    return e ? e : setup_copy(out, size, "telemetry", list, why);
}
