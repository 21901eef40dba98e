/* Any bytes as an agent's answer to the request that the first byte chooses:
 * refused with a reason, or taken apart within what came. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    struct msg_reply head;
    union request_body body;
    if (!size)
        return 0;
    const struct request request = {.op = data[0] % MSG_OP_LAST, .seq = 7};
    const uint8_t *end = data + size;
    enum err e =
        request_decode(&request, data + 1, size - 1, &head, &body, &why);
    if (e && !why.text[0])
        abort();
    if (e || head.err || request.op != MSG_COLLECT || !body.chunk.data.len)
        return 0;
    if (body.chunk.data.data <= data ||
        body.chunk.data.len > (size_t)(end - body.chunk.data.data))
        abort();
    return 0;
}
