/* Histogram blobs: what decodes holds the header's promises and comes back the
 * same when it is encoded again. */
#include <stdlib.h>
#include <string.h>

#include "common/hist.h"

static struct hist a, b;
static uint8_t blob[HIST_BLOB_MAX];

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    enum err checked = hist_check(data, size, NULL);
    if (hist_decode(&a, data, size, &why)) {
        require(checked && why.text[0] && !a.total && !a.max);
        return 0;
    }
    require(!checked);
    size_t len = hist_encode(&a, blob, sizeof blob);
    require(len > 0 && hist_decode(&b, blob, len, &why) == ERR_OK);
    require(!memcmp(&a, &b, sizeof a));
    uint64_t before = 0;
    for (int i = 0; i <= 10; i++) {
        uint64_t v = hist_percentile(&a, i / 10.0);
        require(v >= before && v <= a.max);
        before = v;
    }
    hist_merge(&a, &b);
    require(a.total == 2 * b.total && a.max == b.max && a.min == b.min);
    return 0;
}
