#include "results/final.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_place.h"
#include "common/units.h"

#define NUMBER_MAX  9007199254740992.0 /* 2^53: whole numbers of a double */
#define BUCKETS_MAX 100000u

struct number {
    const char *object, *member;
    size_t offset;
};

static const struct number numbers[] = {
#define X(object, member)                                                      \
    {#object, #member, offsetof(struct final, object##_##member)},
    FINAL_NUMBERS(X)
#undef X
};

static const struct {
    const char *kind, *member;
} hists[FINAL_HISTS] = {
    [FINAL_READ_BYTES] = {"read_bytes", "read_bytes"},
    [FINAL_READS_PER_LOOP] = {"reads_per_loop", "reads_per_loop"},
    [FINAL_SERVICE] = {"target_service", "service_ns"},
    [FINAL_HICCUP] = {"hiccup", "hiccup_ns"},
};

static double *number_at(struct final *final, size_t i)
{
    return (double *)(void *)((char *) final + numbers[i].offset);
}

const char *final_hist_name(enum final_hist i)
{
    return hists[i].kind;
}

void final_init(struct final *final)
{
    *final = (struct final){.known = false};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *number_at(final, i) = NAN;
}

void final_fini(struct final *final)
{
    for (size_t i = 0; i < FINAL_HISTS; i++)
        free(final->hists[i]);
    final_init(final);
}

static enum err bad(const struct jv *v, const char *what, struct why *why)
{
    char where[256];
    return err_set(why, ERR_INVALID, "%s: %s", jv_where(v, where, sizeof where),
                   what);
}

static enum err read_number(const struct jv *v, double *out, struct why *why)
{
    double n = jv_number(v, NAN);
    if (!(n >= 0) || n > NUMBER_MAX || n != floor(n))
        return bad(v, "not a whole number from 0 to 2^53", why);
    *out = n;
    return ERR_OK;
}

static enum err read_bucket(const struct jv *pair, struct hist *h,
                            struct why *why)
{
    double value = 0, count = 0;
    if (jv_type(pair) != JV_ARRAY || jv_size(pair) != 2)
        return bad(pair, "not [value, count]", why);
    enum err e = read_number(jv_at(pair, 0), &value, why);
    if (!e)
        e = read_number(jv_at(pair, 1), &count, why);
    if (!e && (double)h->total + count > (double)HIST_TOTAL_MAX)
        return bad(pair, "the counts add up to more than 2^48", why);
    if (!e)
        hist_record_n(h, (uint64_t)value, (uint64_t)count);
    return e;
}

static enum err read_hist(const struct jv *v, struct hist **out,
                          struct why *why)
{
    if (!v)
        return ERR_OK;
    size_t n = jv_size(v);
    if (jv_type(v) != JV_ARRAY || n > BUCKETS_MAX)
        return bad(v, "not an array of at most 100000 [value, count]", why);
    struct hist *h = n ? calloc(1, sizeof *h) : NULL;
    if (n && !h)
        return err_set(why, ERR_NOMEM, "histogram");
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < n; i++)
        e = read_bucket(jv_at(v, i), h, why);
    if (!e && h && h->total) {
        *out = h;
        h = NULL;
    }
    free(h);
    return e;
}

/* "fixed:64k"; what is no such thing is no fixed predictor. */
static uint64_t read_fixed(const struct jv *settings)
{
    static const char fixed[] = "fixed:";
    const char *predictor = jv_text(jv_get(settings, "predictor"), "");
    uint64_t bytes = 0;
    if (strncmp(predictor, fixed, strlen(fixed)) != 0 ||
        units_bytes(predictor + strlen(fixed), &bytes, NULL))
        return 0;
    return bytes;
}

static enum err read_all(struct final *final, const struct jv *root,
                         struct why *why)
{
    if (jv_type(root) != JV_OBJECT)
        return bad(root, "not an object", why);
    (void)snprintf(final->outcome, sizeof final->outcome, "%s",
                   jv_text(jv_get(root, "outcome"), ""));
    final->fixed_bytes = read_fixed(jv_get(root, "settings"));
    final->partial = jv_bool(jv_get(root, "partial"), false);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < sizeof numbers / sizeof *numbers; i++) {
        const struct jv *object = jv_get(root, numbers[i].object);
        const struct jv *v = object ? jv_get(object, numbers[i].member) : NULL;
        if (v)
            e = read_number(v, number_at(final, i), why);
    }
    for (size_t i = 0; !e && i < FINAL_HISTS; i++)
        e = read_hist(jv_get(root, hists[i].member), &final->hists[i], why);
    final->known = !e;
    return e;
}

enum err final_read(struct final *final, const uint8_t *json, size_t len,
                    struct why *why)
{
    struct jv *root = NULL;
    if (len > FINAL_BYTES_MAX)
        return err_set(why, ERR_INVALID, "target-final: %zu bytes, at most %u",
                       len, FINAL_BYTES_MAX);
    enum err e = jv_parse(&root, "target-final", (const char *)json, len, why);
    if (!e)
        e = read_all(final, root, why);
    jv_free(root);
    if (e)
        final_fini(final);
    return e;
}
