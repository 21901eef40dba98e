/* Anything to jv_parse; what it accepts is walked, located and printed, and
 * the print reads back as the same print. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_build.h"
#include "common/json_place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct jv *v)
{
    char where[128];
    const char *key = NULL;
    (void)jv_where(v, where, sizeof where);
    if (strchr(where, '\n'))
        abort();
    (void)jv_u64(v, 0);
    (void)jv_number(v, 0);
    for (size_t i = 0; i < jv_size(v); i++) {
        const struct jv *child = jv_at(v, i);
        if (!child)
            child = jv_member(v, i, &key);
        if (!child || (key && jv_get(v, key) != child))
            abort();
        walk(child);
        key = NULL;
    }
}

static struct jv *parse(const char *text, size_t size)
{
    struct jv *v = NULL;
    struct why why = {0};
    enum err e = jv_parse(&v, "fuzz.json", text, size, &why);
    if ((e == ERR_OK) != (v != NULL))
        abort();
    if (e && strncmp(why.text, "fuzz.json:", 10) != 0)
        abort();
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const none[] = {NULL};
    struct jv *v = parse((const char *)data, size);
    if (!v)
        return 0;
    walk(v);
    struct why why = {0};
    enum err e = jv_only(v, none, &why);
    if (!e && jv_size(v))
        abort();
    char *text = jv_print(v, size % 2);
    struct jv *again = parse(text, strlen(text));
    if (!again)
        abort();
    char *text_again = jv_print(again, size % 2);
    if (strcmp(text, text_again) != 0)
        abort();
    free(text);
    free(text_again);
    jv_free(again);
    jv_free(v);
    return 0;
}
