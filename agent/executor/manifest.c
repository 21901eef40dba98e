#include "agent/executor/manifest.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/executor/line.h"
#include "common/units.h"

#define FIRST "pitwall-manifest 1"

size_t manifest_print(const struct manifest *m, char *buf, size_t size)
{
    char text[sizeof m->text];
    line_copy(text, sizeof text, m->text);
    int n =
        snprintf(buf, size,
                 FIRST "\noutcome %s\nspool %" PRIu64 " records %" PRIu64
                       " bytes %" PRIu32 " crc32c\ntext %s\nend\n",
                 outcome_name(m->outcome), m->records, m->bytes, m->crc, text);
    return (size_t)n < size ? (size_t)n : size - 1;
}

/* Cut the next word or line off *at: up to `end`, which becomes NUL. NULL when
 * there is none. */
static char *cut(char **at, char end)
{
    char *start = *at, *stop = strchr(start, end);
    if (!stop)
        return NULL;
    *stop = '\0';
    *at = stop + 1;
    return start;
}

/* The line after `word` and a space. */
static char *line_of(char **at, const char *word)
{
    char *line = cut(at, '\n');
    size_t n = strlen(word);
    if (!line || strncmp(line, word, n) != 0 || line[n] != ' ')
        return NULL;
    return line + n + 1;
}

/* "N unit" at *at. */
static bool number(char **at, const char *unit, uint64_t max, uint64_t *out)
{
    char *digits = cut(at, ' ');
    size_t n = strlen(unit);
    if (!digits || units_u64(digits, max, out, NULL) || strncmp(*at, unit, n))
        return false;
    *at += n;
    if (**at == ' ')
        ++*at;
    return true;
}

static bool parse(char *at, struct manifest *m)
{
    char *first = cut(&at, '\n');
    if (!first || strcmp(first, FIRST) != 0)
        return false;
    char *outcome = line_of(&at, "outcome");
    if (!outcome || outcome_parse(outcome, &m->outcome, NULL))
        return false;
    char *spool = line_of(&at, "spool");
    uint64_t crc = 0;
    if (!spool || !number(&spool, "records", UINT64_MAX, &m->records) ||
        !number(&spool, "bytes", INT64_MAX, &m->bytes) ||
        !number(&spool, "crc32c", UINT32_MAX, &crc) || *spool)
        return false;
    m->crc = (uint32_t)crc;
    char *text = line_of(&at, "text");
    if (!text || strlen(text) >= sizeof m->text)
        return false;
    line_copy(m->text, sizeof m->text, text);
    return strcmp(at, "end\n") == 0;
}

enum err manifest_parse(const char *data, size_t len, struct manifest *m,
                        struct why *why)
{
    char copy[MANIFEST_MAX];
    *m = (struct manifest){.outcome = OUTCOME_NONE};
    if (len >= sizeof copy || memchr(data, '\0', len))
        return err_set(why, ERR_CORRUPT, "manifest: not one of ours");
    memcpy(copy, data, len);
    copy[len] = '\0';
    if (!parse(copy, m)) {
        *m = (struct manifest){.outcome = OUTCOME_NONE};
        return err_set(why, ERR_CORRUPT, "manifest: damaged");
    }
    return ERR_OK;
}
