/* Control messages as the gate meets them: the first byte chooses the message,
 * the rest is its map; a prepare's spec is decoded too. */
#include <stdlib.h>
#include <string.h>

#include "common/msg.h"

union any {
#define X(name, LIST) struct msg_##name name;
    MSG_LISTS(X)
#undef X
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void spec_try(const struct wire_blob *blob)
{
    static struct trial_spec spec;
    size_t n = 0;
    const struct wire_field *fields = spec_fields(&n);
    struct why why = {0};
    enum err e = wire_decode(fields, n, blob->data, blob->len, &spec, &why);
    require(!e || (e == ERR_PROTOCOL && why.text[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static union any msg, again;
    struct wire_buf first = {0}, second = {0};
    struct why why = {0};
    if (!size)
        return 0;
    enum msg_kind kind = (enum msg_kind)(data[0] % MSG_KIND_LAST);
    enum err e = msg_decode(kind, data + 1, size - 1, &msg, &why);
    if (e) {
        require(e == ERR_PROTOCOL && why.text[0]);
        return 0;
    }
    if (kind == MSG_IS_prepare)
        spec_try(&msg.prepare.spec);
    enum msg_op op = MSG_PING;
    if (kind == MSG_IS_request && !msg_op_parse(msg.request.op, &op, &why))
        require(!strcmp(msg_op_name(op), msg.request.op));
    require(!msg_encode(kind, &msg, &first, &why));
    require(!msg_decode(kind, first.data, first.len, &again, &why));
    require(!msg_encode(kind, &again, &second, &why));
    require(first.len == second.len &&
            !memcmp(first.data, second.data, first.len));
    wire_buf_free(&first);
    wire_buf_free(&second);
    return 0;
}
