/* Any text as an ssh URL: refused with a reason, or taken apart into what ssh
 * takes for a host, a port and a path. Nothing is started. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/tunnel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    struct tunnel_place at;
    char *url = malloc(size + 1);
    if (!url)
        abort();
    memcpy(url, data, size);
    url[size] = '\0';
    enum err e = tunnel_parse(url, &at, &why);
    if (e && !why.text[0])
        abort();
    if (!e && (!at.host[0] || at.host[0] == '-' || strstr(at.host, "@-") ||
               strpbrk(at.host, " ;$`\\'\"|&<>\n/") || at.path[0] != '/' ||
               strchr(at.path, ':') || at.port[strspn(at.port, "0123456789")]))
        abort();
    free(url);
    return 0;
}
