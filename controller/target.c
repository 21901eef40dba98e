#include "controller/target.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

#define PREDICTED_MAX (16u << 20)

enum err target_heap(const char *value, struct trial_spec *spec,
                     struct why *why)
{
    uint64_t v = 0;
    enum err e = units_bytes(value, &v, why);
    if (!e && (v < TARGET_HEAP_MIN || v > TARGET_HEAP_MAX))
        e = err_set(why, ERR_RANGE, "\"%s\" is not within 2m and 1t", value);
    if (!e)
        spec->heap_bytes = v;
    return e;
}

/* Sizes joined by '-' into v [3]; their number, 0 when one does not parse. */
static size_t sizes(const char *text, uint64_t v[3])
{
    for (size_t n = 0; n < 3;) {
        char one[24];
        size_t len = strcspn(text, "-");
        if (len >= sizeof one)
            return 0;
        memcpy(one, text, len);
        one[len] = '\0';
        if (units_bytes(one, &v[n], NULL) || !v[n] || v[n] > PREDICTED_MAX)
            return 0;
        n++;
        if (!text[len])
            return n;
        text += len + 1;
    }
    return 0;
}

enum err target_predictor(const char *value, struct trial_spec *spec,
                          struct why *why)
{
    uint64_t v[3] = {0};
    size_t n = 0;
    bool good = false;
    if (!strncmp(value, "fixed:", 6)) {
        good = sizes(value + 6, v) == 1;
    } else if (!strncmp(value, "adaptive:", 9)) {
        n = sizes(value + 9, v);
        good = n >= 2 && v[0] <= v[1] && (n == 2 || v[1] <= v[2]);
    }
    if (!good)
        return err_set(why, ERR_INVALID,
                       "\"%s\" is not fixed:64k, adaptive:1k-512k or "
                       "adaptive:1k-2k-512k (ascending, at most 16m)",
                       value);
    return setup_copy(spec->predictor, sizeof spec->predictor, "predictor",
                      value, why);
}
