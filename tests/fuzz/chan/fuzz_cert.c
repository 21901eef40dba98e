/* Any text as a certificate in PEM: refused with a reason, or read to a name
 * that ends and can be shown. A peer's is read before it is judged. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cert.h"
#include "common/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    struct cert cert;
    char fault[64], *pem = malloc(size + 1);
    if (!pem)
        abort();
    memcpy(pem, data, size);
    pem[size] = '\0';
    enum err e = cert_read(&cert, pem, &why);
    size_t len = strnlen(cert.name, sizeof cert.name);
    if (e && !why.text[0])
        abort();
    if (len == sizeof cert.name || text_good(cert.name, len) != len)
        abort();
    (void)cert_show_fault(&cert, 0, fault, sizeof fault);
    free(pem);
    return 0;
}
