/* A spool file, read record by record until it ends or is found damaged. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/spool.h"

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (uint64_t seq = 0;; seq++) {
        struct spool_header h;
        const uint8_t *payload = NULL;
        struct why why = {0};
        enum err e = spool_record_read(data, size, seq, &h, &payload, &why);
        if (e) {
            require(e == ERR_AGAIN || e == ERR_CORRUPT);
            require(why.text[0]);
            return 0;
        }
        uint8_t again[SPOOL_HEADER_BYTES];
        spool_header_make(again, (enum spool_stream)h.stream, seq, payload,
                          h.len);
        require(!memcmp(again, data, sizeof again));
        require(payload == data + SPOOL_HEADER_BYTES);
        data += SPOOL_HEADER_BYTES + h.len;
        size -= SPOOL_HEADER_BYTES + h.len;
    }
}
