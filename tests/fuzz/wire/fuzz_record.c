/* Records of load and watch: what decodes also encodes, and comes back with the
 * same bytes the second time. */
#include <stdlib.h>
#include <string.h>

#include "common/record.h"

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct record r, again;
    struct wire_buf first = {0}, second = {0};
    struct why why = {0};
    enum err e = record_decode(data, size, &r, &why);
    if (e) {
        require(e == ERR_PROTOCOL || e == ERR_NOTFOUND);
        require(why.text[0] != '\0');
        return 0;
    }
    require(!record_encode(r.kind, &r.as, &first, &why));
    require(!record_decode(first.data, first.len, &again, &why));
    require(again.kind == r.kind);
    require(!record_encode(again.kind, &again.as, &second, &why));
    require(first.len == second.len &&
            !memcmp(first.data, second.data, first.len));
    wire_buf_free(&first);
    wire_buf_free(&second);
    return 0;
}
