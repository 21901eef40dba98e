#include "results/effective.h"

#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/json_place.h"
#include "common/units.h"

static enum err bad(const struct jv *v, const char *what, struct why *why)
{
    char where[256];
    return err_set(why, ERR_INVALID, "%s: not %s: \"%.60s\"",
                   jv_where(v, where, sizeof where), what, jv_text(v, ""));
}

/* The number of at most len bytes at text. */
static bool number(const char *text, size_t len, uint64_t *out)
{
    char digits[24];
    if (!len || len >= sizeof digits)
        return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    return units_u64(digits, INT64_MAX, out, NULL) == ERR_OK;
}

/* "4096 131072 6291456", as it was read back in the target's namespace. */
static enum err read_rmem(struct effective *out, const struct jv *rmem,
                          struct why *why)
{
    if (!rmem)
        return ERR_OK;
    const char *at = jv_text(rmem, "");
    for (size_t i = 0; i < 3; i++) {
        size_t len = strcspn(at, " ");
        if (!number(at, len, &out->rmem_bytes[i]))
            return bad(rmem, "three numbers", why);
        at += len + (at[len] == ' ');
    }
    out->rmem_known = true;
    return *at ? bad(rmem, "three numbers", why) : ERR_OK;
}

/* "tbf rate 25000000B/s burst ...": the load's end sends at most this. Other
 * disciplines limit nothing. */
static enum err read_rate(struct effective *out, const struct jv *qdisc,
                          struct why *why)
{
    static const char tbf[] = "tbf rate ";
    const char *text = jv_text(qdisc, "");
    if (strncmp(text, tbf, strlen(tbf)) != 0)
        return ERR_OK;
    text += strlen(tbf);
    uint64_t bytes_s = 0;
    if (!number(text, strcspn(text, "B"), &bytes_s) ||
        strncmp(strchr(text, 'B') ? strchr(text, 'B') : "", "B/s", 3) != 0 ||
        bytes_s > INT64_MAX / 8)
        return bad(qdisc, "a rate in B/s", why);
    out->link_rate_bit = 8 * bytes_s;
    return ERR_OK;
}

static enum err read_congestion(struct effective *out, const struct jv *name,
                                struct why *why)
{
    const char *text = jv_text(name, "");
    if (strlen(text) >= sizeof out->congestion)
        return bad(name, "a congestion control", why);
    memcpy(out->congestion, text, strlen(text) + 1);
    return ERR_OK;
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
        e = read_rmem(out, jv_get(jv_get(root, "sysctls"), "net.ipv4.tcp_rmem"),
                      why);
    if (!e)
        e = read_rate(
            out, jv_get(jv_get(jv_get(root, "link"), "load"), "qdisc"), why);
    if (!e)
        e = read_congestion(out, jv_get(root, "congestion"), why);
    jv_free(root);
    if (e)
        *out = (struct effective){.rmem_known = false};
    return e;
}
