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

/* A list of processors, "" for none. */
static enum err read_pin(char to[64], const struct jv *cpus, struct why *why)
{
    const char *text = jv_text(cpus, "");
    if (strlen(text) >= 64)
        return bad(cpus, "a list of processors", why);
    memcpy(to, text, strlen(text) + 1);
    return ERR_OK;
}

/* The target's limit of processors, in thousandths. */
static enum err read_cpus(struct effective *out, const struct jv *limits,
                          struct why *why)
{
    const struct jv *milli = jv_get(jv_get(limits, "target"), "cpus_milli");
    if (milli && (jv_type(milli) != JV_NUMBER || !(jv_number(milli, -1) > 0)))
        return bad(milli, "a number of processors", why);
    out->target_cpus_milli = jv_u64(milli, 0);
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
    if (!e)
        e = read_cpus(out, jv_get(root, "limits"), why);
    const struct jv *pin = jv_get(root, "pin");
    if (!e)
        e = read_pin(out->pin_target, jv_get(pin, "target"), why);
    if (!e)
        e = read_pin(out->pin_load, jv_get(pin, "load"), why);
    jv_free(root);
    if (e)
        *out = (struct effective){.rmem_known = false};
    return e;
}

static enum err tell(const char *side, const struct jv *facts, size_t i,
                     effective_visit *visit, void *ctx, struct why *why)
{
    const char *name = NULL;
    const char *value = jv_text(jv_member(facts, i, &name), NULL);
    struct record r = {.kind = RECORD_IS_fact};
    struct record_fact *f = &r.as.fact;
    if (!name || !value || strlen(name) >= sizeof f->name ||
        strlen(value) >= sizeof f->value)
        return ERR_OK;
    (void)snprintf(f->side, sizeof f->side, "%s", side);
    (void)snprintf(f->name, sizeof f->name, "%s", name);
    (void)snprintf(f->value, sizeof f->value, "%s", value);
    return visit(ctx, &r, why);
}

enum err effective_facts(const uint8_t *json, size_t len,
                         effective_visit *visit, void *ctx, struct why *why)
{
    static const char *const sides[] = {"target", "load"};
    struct jv *root = NULL;
    if (len > EFFECTIVE_BYTES_MAX)
        return err_set(why, ERR_INVALID, "executor: %zu bytes, at most %u", len,
                       EFFECTIVE_BYTES_MAX);
    enum err e = jv_parse(&root, "executor", (const char *)json, len, why);
    for (size_t s = 0; !e && s < 2; s++) {
        const struct jv *facts = jv_get(jv_get(root, "facts"), sides[s]);
        size_t n = jv_type(facts) == JV_OBJECT ? jv_size(facts) : 0;
        for (size_t i = 0; !e && i < n; i++)
            e = tell(sides[s], facts, i, visit, ctx, why);
    }
    jv_free(root);
    return e;
}
