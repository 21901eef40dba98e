#include "results/effective.h"

#include <math.h>

#include "common/json.h"

static enum err number(const struct jv *v, uint64_t *out, struct why *why)
{
    char where[256];
    double n = jv_number(v, NAN);
    if (!(n >= 0) || n > 0x1p53 || n != floor(n))
        return err_set(why, ERR_INVALID,
                       "%s: not a whole number from 0 to 2^53",
                       jv_where(v, where, sizeof where));
    *out = (uint64_t)n;
    return ERR_OK;
}

static enum err read_rmem(struct effective *out, const struct jv *rmem,
                          struct why *why)
{
    char where[256];
    if (!rmem || jv_type(rmem) == JV_NULL)
        return ERR_OK;
    if (jv_type(rmem) != JV_ARRAY || jv_size(rmem) != 3)
        return err_set(why, ERR_INVALID, "%s: not three numbers",
                       jv_where(rmem, where, sizeof where));
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < 3; i++)
        e = number(jv_at(rmem, i), &out->rmem_bytes[i], why);
    out->rmem_known = !e && out->rmem_bytes[2] > 0;
    return e;
}

enum err effective_read(struct effective *out, const uint8_t *json, size_t len,
                        struct why *why)
{
    *out = (struct effective){.rmem_known = false};
    if (len > EFFECTIVE_BYTES_MAX)
        return err_set(why, ERR_INVALID, "executor: %zu bytes, at most %u", len,
                       EFFECTIVE_BYTES_MAX);
    struct jv *root = NULL;
    enum err e = jv_parse(&root, "executor", (const char *)json, len, why);
    if (!e)
        e = read_rmem(out, jv_get(root, "rmem"), why);
    const struct jv *rate = jv_get(jv_get(root, "link"), "rate_bit");
    if (!e && rate)
        e = number(rate, &out->link_rate_bit, why);
    jv_free(root);
    if (e)
        *out = (struct effective){.rmem_known = false};
    return e;
}
