#include "common/stall.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

enum err stall_parse(const char *text, struct stall *out, struct why *why)
{
    char length[24];
    size_t n = strcspn(text, "/");
    struct stall s = {0};
    if (!strcmp(text, "0")) {
        *out = s;
        return ERR_OK;
    }
    (void)snprintf(length, sizeof length, "%.*s", (int)(n < 23 ? n : 23), text);
    if (n >= sizeof length || !text[n] ||
        units_duration(length, &s.length_ns, NULL) ||
        units_duration(text + n + 1, &s.period_ns, NULL))
        return err_set(why, ERR_INVALID,
                       "\"%.60s\" is not a length and a period such as 1s/10s, "
                       "nor 0",
                       text);
    if (!s.length_ns || s.length_ns > STALL_LENGTH_MAX_NS ||
        s.period_ns <= s.length_ns || s.period_ns > STALL_PERIOD_MAX_NS)
        return err_set(why, ERR_RANGE,
                       "\"%.60s\": accepted: a length up to 60s, and a longer "
                       "period up to 1h",
                       text);
    *out = s;
    return ERR_OK;
}

uint64_t stall_left_ns(const struct stall *stall, uint64_t since_ns)
{
    if (!stall->period_ns)
        return 0;
    uint64_t left_ns = stall->period_ns - since_ns % stall->period_ns;
    return left_ns <= stall->length_ns ? left_ns : 0;
}
