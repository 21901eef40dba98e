/* Any text as a URL: accepted or refused with a reason; what needs no leave for
 * plain tcp is accepted with it too, and the name of one of tls+tcp comes off.
 * Nothing is connected to. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    char *url = malloc(size + 1);
    if (!url)
        abort();
    memcpy(url, data, size);
    url[size] = '\0';
    enum err strict = address_check(url, false, &why);
    enum err plain = address_check(url, true, &why);
    if ((strict || plain) && !why.text[0])
        abort();
    if (!strict &&
        (plain || (strncmp(url, "ipc://", 6) != 0 && !address_is_tls(url))))
        abort();
    struct address_tls tls;
    if (!address_tls(url, &tls, &why) &&
        (strict || !tls.name[0] || strchr(tls.url, '@')))
        abort();
    if (strict && !plain && strncmp(url, "tcp://", 6) != 0)
        abort();
    free(url);
    return 0;
}
