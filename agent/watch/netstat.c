#include "agent/watch/netstat.h"

#include <string.h>

#include "agent/watch/scan.h"

/* Is the line's first word "group:"? It is taken then. */
static bool of_group(struct scan *line, const char *group)
{
    struct scan word;
    if (!scan_word(line, &word) || word.end[-1] != ':')
        return false;
    word.end--;
    return scan_is(&word, group);
}

static size_t match(struct scan names_line, struct scan values_line,
                    const char *const *names, uint64_t *values, size_t n)
{
    struct scan name;
    size_t found = 0;
    while (scan_word(&names_line, &name)) {
        uint64_t value = 0;
        if (!scan_u64(&values_line, &value))
            value = 0;
        for (size_t i = 0; i < n; i++)
            if (scan_is(&name, names[i])) {
                values[i] = value;
                found++;
            }
    }
    return found;
}

size_t netstat_parse(const char *text, size_t len, const char *group,
                     const char *const *names, uint64_t *values, size_t n)
{
    struct scan all = scan_text(text, len), first, second;
    memset(values, 0, n * sizeof *values);
    while (scan_line(&all, &first))
        if (of_group(&first, group) && scan_line(&all, &second) &&
            of_group(&second, group))
            return match(first, second, names, values, n);
    return 0;
}
