#include "agent/executor/target_print.h"

/* As deep as the document, which json.h bounds. */
void target_print(struct line_json *j, const char *key, const struct jv *v)
{
    const char *name = NULL;
    switch (jv_type(v)) {
    case JV_OBJECT:
        line_json_open(j, key, '{');
        for (size_t i = 0; i < jv_size(v); i++) {
            const struct jv *member = jv_member(v, i, &name);
            target_print(j, name, member);
        }
        line_json_close(j, '{');
        break;
    case JV_ARRAY:
        line_json_open(j, key, '[');
        for (size_t i = 0; i < jv_size(v); i++)
            target_print(j, NULL, jv_at(v, i));
        line_json_close(j, '[');
        break;
    case JV_NUMBER:
        line_json_u64(j, key, jv_u64(v, 0));
        break;
    case JV_BOOL:
        line_json_text(j, key, jv_bool(v, false) ? "true" : "false");
        break;
    case JV_STRING:
    case JV_NULL:
        line_json_text(j, key, jv_text(v, ""));
        break;
    }
}
