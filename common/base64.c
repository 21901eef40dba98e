#include "common/base64.h"

#include <stdint.h>

void base64_write(char *out, const void *data, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                 "stuvwxyz0123456789+/";
    const uint8_t *u = data;
    for (; len; u += 3, len = len > 3 ? len - 3 : 0) {
        uint32_t v = (uint32_t)u[0] << 16;
        v |= len > 1 ? (uint32_t)u[1] << 8 : 0;
        v |= len > 2 ? u[2] : 0;
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = len > 1 ? digits[v >> 6 & 63] : '=';
        *out++ = len > 2 ? digits[v & 63] : '=';
    }
    *out = 0;
}
