/* Whatever bytes an answer of the executor holds, the controller can read what
 * the gate makes of it. The first byte is the op that was asked. */
#include <stdlib.h>
#include <string.h>

#include "agent/gate/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct port_reply said;
    static struct request request;
    static struct wire_buf reply;
    struct msg_reply r;
    if (!size)
        return 0;
    memset(&said, 0, sizeof said);
    request.op = (enum msg_op)(*data % MSG_OP_LAST);
    size_t n = size - 1 < sizeof said ? size - 1 : sizeof said;
    memcpy(&said, data + 1, n);
    gate_answer(&request, &said, &reply);
    if (msg_decode(MSG_IS_reply, reply.data, reply.len, &r, NULL))
        abort();
    return 0;
}
