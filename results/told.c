#include "results/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool listed(const char *list, const char *name)
{
    size_t len = strlen(name), n;
    for (; *list; list += n + (list[n] == ','))
        if ((n = strcspn(list, ",")) == len && !strncmp(list, name, len))
            return true;
    return false;
}

/* A flag in the place of each field that the list lacks. */
static void mark(struct tally *tally, const char *list)
{
    size_t n = 0;
    const struct wire_field *fields =
        record_fields(RECORD_IS_sample_target, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t untold = !listed(list, fields[i].name);
        if (fields[i].type == WIRE_U64)
            memcpy((char *)&tally->untold + fields[i].offset, &untold,
                   sizeof untold);
    }
}

void told_fact(struct tally *tally, const struct record_fact *fact)
{
    if (strcmp(fact->side, "target") != 0)
        return;
    if (!strcmp(fact->name, "stats.told"))
        mark(tally, fact->value);
    if (!strcmp(fact->name, "stats.docs")) {
        tally->docs_told = true;
        tally->docs_counted = strtoull(fact->value, NULL, 10);
    }
}

double told_sum(const struct tally *tally, size_t offset)
{
    uint64_t untold = 0, sum = 0;
    memcpy(&untold, (const char *)&tally->untold + offset, sizeof untold);
    memcpy(&sum, (const char *)&tally->polled + offset, sizeof sum);
    return tally->polls && !untold ? (double)sum : NAN;
}

double told_docs(const struct tally *tally)
{
    if (isnan(tally->final.total_docs) && tally->docs_told)
        return (double)tally->docs_counted;
    return tally->final.total_docs;
}
