#include "load/condition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_build.h"

#define KEY_MAX 255

/* What stands at path, "a.b.c"; NULL: nothing. */
static const struct jv *at_path(const struct jv *v, const char *path)
{
    char key[KEY_MAX + 1];
    while (v && *path) {
        size_t len = strcspn(path, ".");
        if (len > KEY_MAX)
            return NULL;
        memcpy(key, path, len);
        key[len] = 0;
        v = jv_get(v, key);
        path += len + (path[len] == '.');
    }
    return v;
}

static bool is_same(const struct jv *a, const struct jv *b)
{
    if (!a || jv_type(a) != jv_type(b))
        return false;
    switch (jv_type(a)) {
    case JV_BOOL:
        return jv_bool(a, false) == jv_bool(b, false);
    case JV_NUMBER:
        return jv_number(a, 0) <= jv_number(b, 0) &&
               jv_number(a, 0) >= jv_number(b, 0);
    case JV_STRING:
        return !strcmp(jv_text(a, ""), jv_text(b, ""));
    case JV_NULL:
        return true;
    case JV_ARRAY:
    case JV_OBJECT:
    default:
        return false;
    }
}

static void explain(const struct plan_request *request, const struct jv *found,
                    char *text, size_t size)
{
    char *is = found ? jv_print(found, false) : NULL;
    char *must = jv_print(request->want, false);
    (void)snprintf(text, size, "%s is %.60s, not %.60s", request->want_path,
                   is ? is : "not in the answer", must);
    free(is);
    free(must);
}

bool condition_holds(const struct plan_request *request, const char *answer,
                     size_t len, char *text, size_t size)
{
    struct jv *root = NULL;
    struct why why = {0};
    if (!request->want_path)
        return true;
    if (jv_parse(&root, "answer", answer, len, &why)) {
        (void)snprintf(text, size, "%s: %s", request->want_path, why.text);
        return false;
    }
    const struct jv *found = at_path(root, request->want_path);
    bool holds = is_same(found, request->want);
    if (!holds)
        explain(request, found, text, size);
    jv_free(root);
    return holds;
}
