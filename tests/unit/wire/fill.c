#include "tests/unit/wire/fill.h"

#include <float.h>

#include "tests/lib/check.h"

static const uint8_t bytes[2u << 20] = {1, 2, 3};

void fill_most(const struct wire_field *fields, size_t n_fields, void *out)
{
    for (size_t i = 0; i < n_fields; i++) {
        const struct wire_field *f = &fields[i];
        char *at = (char *)out + f->offset;
        uint64_t whole = f->max ? f->max : UINT64_MAX;
        uint32_t small = whole > UINT32_MAX ? UINT32_MAX : (uint32_t)whole;
        int64_t integer = INT64_MIN;
        double real = DBL_MAX;
        struct wire_blob blob = {bytes, (size_t)f->max};
        switch (f->type) {
        case WIRE_U32:
            memcpy(at, &small, sizeof small);
            break;
        case WIRE_U64:
            memcpy(at, &whole, sizeof whole);
            break;
        case WIRE_I64:
            memcpy(at, &integer, sizeof integer);
            break;
        case WIRE_F64:
            memcpy(at, &real, sizeof real);
            break;
        case WIRE_STR:
            memset(at, 'a' + (int)(i % 26), f->max);
            at[f->max] = '\0';
            break;
        case WIRE_BLOB:
            assert_true(f->max <= sizeof bytes);
            memcpy(at, &blob, sizeof blob);
            break;
        }
    }
}

static bool same(const struct wire_field *f, const char *a, const char *b)
{
    struct wire_blob x, y;
    switch (f->type) {
    case WIRE_U32:
        return !memcmp(a, b, sizeof(uint32_t));
    case WIRE_U64:
    case WIRE_I64:
    case WIRE_F64:
        return !memcmp(a, b, 8);
    case WIRE_STR:
        return !strcmp(a, b);
    case WIRE_BLOB:
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return x.len == y.len && (!x.len || !memcmp(x.data, y.data, x.len));
    }
    return false;
}

void fill_same(const struct wire_field *fields, size_t n_fields, const void *a,
               const void *b)
{
    for (size_t i = 0; i < n_fields; i++)
        if (!same(&fields[i], (const char *)a + fields[i].offset,
                  (const char *)b + fields[i].offset))
            fail_msg("%s differs", fields[i].name);
}
