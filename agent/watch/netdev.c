#include "agent/watch/netdev.h"

#include <string.h>

#include "agent/watch/scan.h"

/* "  eth0:12 3 ...": the name ends at the colon, which a number may touch. */
static bool take_name(struct scan *line, char *name, size_t size)
{
    struct scan word = *line;
    while (word.at < word.end && *word.at == ' ')
        word.at++;
    const char *colon = memchr(word.at, ':', (size_t)(word.end - word.at));
    if (!colon || colon == word.at || (size_t)(colon - word.at) >= size)
        return false;
    line->at = colon + 1;
    word.end = colon;
    scan_copy(&word, name, size);
    return true;
}

static bool parse_line(struct scan *line, struct netdev *d)
{
    memset(d, 0, sizeof *d);
    return take_name(line, d->name, sizeof d->name) &&
           scan_u64(line, &d->rx_bytes) && scan_u64(line, &d->rx_packets) &&
           scan_u64(line, &d->rx_errors) && scan_u64(line, &d->rx_dropped) &&
           scan_skip(line, 4) && /* fifo frame compressed multicast */
           scan_u64(line, &d->tx_bytes) && scan_u64(line, &d->tx_packets) &&
           scan_u64(line, &d->tx_errors) && scan_u64(line, &d->tx_dropped);
}

size_t netdev_parse(const char *text, size_t len, struct netdev *out,
                    size_t max)
{
    struct scan all = scan_text(text, len), line;
    struct netdev d;
    size_t n = 0;
    while (n < max && scan_line(&all, &line))
        if (parse_line(&line, &d))
            out[n++] = d;
    return n;
}
