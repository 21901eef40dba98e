/* Anything as a request's path, Host, cell's place and the address to listen
 * on: a page is one of those that there are, a host is a number or localhost.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/serve_route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    size_t place = 0;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct serve_route route = serve_route_of(text);
    if (route.page > SERVE_CELLS || route.experiment < 0)
        abort();
    if (route.page == SERVE_LIST && strcmp(text, "/") != 0)
        abort();
    if (serve_route_host(text) && strspn(text, "[]:.0123456789abcdefABCDEF"
                                               "localhost") != strlen(text))
        abort();
    if (serve_route_place(text, &place) && place > 999999)
        abort();
    free(text);
    return 0;
}
