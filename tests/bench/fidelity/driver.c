#include "tests/bench/fidelity/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES  512u
#define FIRST_LINE  900u
#define LINE_MIN    300u
#define LINE_SPREAD 1200u

static size_t put_head(char *to, uint64_t body_bytes, uint64_t headers,
                       uint64_t header_bytes)
{
    int n = sprintf(to, "POST /_bulk HTTP/1.1\r\n"
                        "Host: 127.0.0.1:9200\r\n"
                        "Accept-Encoding: identity\r\n"
                        "Connection: keep-alive\r\n"
                        "Content-Type: application/x-ndjson\r\n"
                        "User-Agent: refdrv/1\r\n");
    for (uint64_t i = 0; i < headers; i++) {
        n += sprintf(to + n, "X-Hdr-%02u: ", (unsigned)i);
        memset(to + n, 'a' + (int)(i % 26), header_bytes);
        n += (int)header_bytes;
        n += sprintf(to + n, "\r\n");
    }
    return (size_t)(n + sprintf(to + n, "Content-Length: %llu\r\n\r\n",
                                (unsigned long long)body_bytes));
}

/* Lines of drv.c's own chance. */
static void put_body(struct driver *d, char *body, size_t bytes)
{
    uint32_t r = 12345, want = FIRST_LINE, column = 0;
    for (size_t i = 0; i < bytes; i++) {
        r = r * 1103515245u + 12345u;
        if (++column < want && i != bytes - 1) {
            body[i] = (char)(' ' + (r >> 16) % 94);
            continue;
        }
        body[i] = '\n';
        d->lines[d->n_lines++] = column - 1;
        column = 0;
        want = LINE_MIN + (r >> 16) % LINE_SPREAD;
    }
}

enum err driver_make(struct driver *driver, uint64_t body_bytes,
                     uint64_t headers, uint64_t header_bytes, struct why *why)
{
    *driver = (struct driver){0};
    driver->request =
        malloc(HEAD_BYTES + headers * (header_bytes + 16) + body_bytes);
    driver->lines = calloc(body_bytes / LINE_MIN + 1, sizeof *driver->lines);
    if (!driver->request || !driver->lines) {
        driver_free(driver);
        return err_set(why, ERR_NOMEM, "a request: no memory");
    }
    size_t head = put_head(driver->request, body_bytes, headers, header_bytes);
    put_body(driver, driver->request + head, body_bytes);
    driver->bytes = head + body_bytes;
    return ERR_OK;
}

void driver_free(struct driver *driver)
{
    free(driver->request);
    free(driver->lines);
    *driver = (struct driver){0};
}
