/* Sizes, durations and rates as people type them. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void checked(enum err e, uint64_t v, const struct why *why)
{
    require(e == ERR_OK || e == ERR_INVALID || e == ERR_RANGE);
    require(e ? why->text[0] != '\0' : v <= INT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    uint64_t v = 0;
    char unit[16], shown[24];
    double rate = 0;
    char *text = malloc(size + 1); /* exactly, so that an overread shows */
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    enum err e = units_bytes(text, &v, &why);
    checked(e, v, &why);
    if (!e) { /* what is shown reads back */
        uint64_t again = 0;
        (void)units_show_bytes(shown, sizeof shown, v);
        require(units_bytes(shown, &again, &why) == ERR_OK && again == v);
    }
    e = units_duration(text, &v, &why);
    checked(e, v, &why);
    e = units_bitrate(text, &v, &why);
    checked(e, v, &why);
    if (!units_rate(text, &rate, unit, &why))
        require(rate > 0 && strnlen(unit, 16) < 16);
    if (!units_u64(text, 1000, &v, &why))
        require(v <= 1000);
    free(text);
    return 0;
}
