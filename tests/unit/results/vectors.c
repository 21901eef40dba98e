#include "tests/unit/results/vectors.h"

#include <math.h>

#include "tests/lib/check.h"

#define FILE_MAX (1u << 20)

void vectors_each(const char *function, void (*check)(const struct vector *v))
{
    struct jv *root = NULL;
    struct why why;
    size_t n = 0;
    check_ok(jv_load(&root, VECTORS_FILE, FILE_MAX, &why), why);
    const struct jv *all = jv_get(root, "vectors");
    for (size_t i = 0; i < jv_size(all); i++) {
        const struct jv *one = jv_at(all, i);
        struct vector v = {
            .id = jv_text(jv_get(one, "id"), ""),
            .in = jv_get(one, "input"),
            .want = jv_get(one, "expect"),
            .tolerance = jv_number(jv_get(one, "tol"), 0),
        };
        if (strcmp(jv_text(jv_get(one, "fn"), ""), function) != 0)
            continue;
        check(&v);
        n++;
    }
    jv_free(root);
    assert_true(n > 0);
}

static const struct jv *input(const struct vector *v, const char *key)
{
    const struct jv *value = jv_get(v->in, key);
    if (!value)
        fail_msg("%s has no input %s", v->id, key);
    return value;
}

static const struct jv *expected(const struct vector *v, const char *key)
{
    const struct jv *value = jv_get(v->want, key);
    if (!value)
        fail_msg("%s expects no %s", v->id, key);
    return value;
}

double vector_number(const struct vector *v, const char *key)
{
    return jv_number(input(v, key), NAN);
}

bool vector_true(const struct vector *v, const char *key)
{
    return jv_bool(input(v, key), false);
}

static size_t list(const struct jv *from, double *out, size_t max)
{
    size_t n = jv_size(from);
    assert_true(n <= max);
    for (size_t i = 0; i < n; i++)
        out[i] = jv_number(jv_at(from, i), NAN);
    return n;
}

size_t vector_list(const struct vector *v, const char *key,
                   double out[VECTOR_MAX])
{
    return list(input(v, key), out, VECTOR_MAX);
}

size_t vector_rows(const struct vector *v, const char *key,
                   double out[VECTOR_MAX], size_t *n_columns)
{
    const struct jv *rows = input(v, key);
    size_t used = 0;
    for (size_t i = 0; i < jv_size(rows); i++)
        used += list(jv_at(rows, i), out + used, VECTOR_MAX - used);
    *n_columns = used / jv_size(rows);
    return jv_size(rows);
}

static void near(const struct vector *v, const char *key, double got,
                 const struct jv *value)
{
    double want = jv_type(value) == JV_BOOL ? jv_bool(value, false)
                                            : jv_number(value, NAN);
    if (!(fabs(got - want) <= v->tolerance * fmax(1, fabs(want))))
        fail_msg("%s: %s is %.17g, not %.17g", v->id, key, got, want);
}

void vector_check(const struct vector *v, const char *key, double got)
{
    near(v, key, got, expected(v, key));
}

void vector_check_list(const struct vector *v, const char *key,
                       const double *got, size_t n)
{
    const struct jv *want = expected(v, key);
    if (jv_size(want) != n)
        fail_msg("%s: %zu of %s, not %zu", v->id, n, key, jv_size(want));
    for (size_t i = 0; i < n; i++)
        near(v, key, got[i], jv_at(want, i));
}

void vector_check_text(const struct vector *v, const char *key, const char *got)
{
    const char *want = jv_text(expected(v, key), "");
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s is %s, not %s", v->id, key, got, want);
}
