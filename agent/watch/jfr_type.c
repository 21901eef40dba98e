/* The metadata: a list of texts, then a tree of elements
 *
 *     element = name, n, n * (key, value), m, m * element      all but n and m
 *                                                               text numbers
 *     <root><metadata><class id= name=><field name= class= constantPool=
 *     dimension=/>...</class>...
 *
 * A value is its class's fields in their order: numbers of varying length (a
 * byte for boolean and byte, 4 and 8 for float and double), texts, the number
 * of a value in a pool, or the fields of another class; of an array the count
 * comes first. */
#include "agent/watch/jfr_type.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX   200000u
#define CLASSES_MAX 8192u
#define FIELDS_MAX  65536u
#define DEPTH_MAX   12 /* of the tree, and of classes within classes */

enum form { FORM_CLASS, FORM_NUMBER, FORM_TEXT, FORM_1, FORM_4, FORM_8 };

struct text {
    const char *at;
    size_t len;
};

struct field {
    uint64_t class_id;
    uint32_t class_at; /* once all are there */
    uint8_t form, slot;
    bool pool, array;
};

struct jfr_class {
    uint64_t id;
    struct text name;
    uint32_t first, n; /* of the fields */
};

struct jfr_types {
    struct text *texts;
    struct jfr_class *classes;
    struct field *fields;
    size_t n_texts, n_classes, n_fields;
    struct jfr_bytes bytes; /* while it is read */
};

static bool is(const struct text *text, const char *word)
{
    return text->len == strlen(word) && !memcmp(text->at, word, text->len);
}

static bool grow(void **items, size_t n, size_t size)
{
    if (n & (n - 1)) /* room is made when n is 0 or a power of 2 */
        return true;
    void *grown = reallocarray(*items, n ? 2 * n : 1, size);
    if (grown)
        *items = grown;
    return grown;
}

/* Reading ----------------------------------------------------------------- */

static struct text take_name(struct jfr_types *t)
{
    uint64_t i = jfr_bytes_number(&t->bytes);
    if (i < t->n_texts)
        return t->texts[i];
    t->bytes.bad = true;
    return (struct text){"", 0};
}

static uint64_t number_of(const struct text *text)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text->len && i < 19; i++)
        if (text->at[i] >= '0' && text->at[i] <= '9')
            value = value * 10 + (uint64_t)(text->at[i] - '0');
    return value;
}

/* The attributes of one element that matter. */
struct attributes {
    struct text id, name, class_id, pool, dimension;
};

static struct attributes take_attributes(struct jfr_types *t)
{
    struct attributes a = {0};
    const struct {
        const char *key;
        struct text *value;
    } known[] = {{"id", &a.id},
                 {"name", &a.name},
                 {"class", &a.class_id},
                 {"constantPool", &a.pool},
                 {"dimension", &a.dimension}};
    for (uint64_t n = jfr_bytes_number(&t->bytes); n && !t->bytes.bad; n--) {
        struct text key = take_name(t), value = take_name(t);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (is(&key, known[i].key))
                *known[i].value = value;
    }
    return a;
}

static enum err add_class(struct jfr_types *t, const struct attributes *a,
                          struct why *why)
{
    if (t->n_classes == CLASSES_MAX)
        return err_set(why, ERR_CORRUPT, "more than %u classes", CLASSES_MAX);
    if (!grow((void **)&t->classes, t->n_classes, sizeof *t->classes))
        return err_set(why, ERR_NOMEM, "classes of a recording");
    t->classes[t->n_classes++] =
        (struct jfr_class){.id = number_of(&a->id),
                           .name = a->name,
                           .first = (uint32_t)t->n_fields};
    return ERR_OK;
}

static uint8_t slot_of(const struct text *name)
{
    static const char *const names[] = {
#define X(name, text) text,
        JFR_SLOTS(X)
#undef X
    };
    uint8_t i = 0;
    while (i < JFR_SLOTS_ALL && !is(name, names[i]))
        i++;
    return i;
}

/* A field belongs to the class that was begun last. */
static enum err add_field(struct jfr_types *t, const struct attributes *a,
                          struct why *why)
{
    if (t->n_fields == FIELDS_MAX || !t->n_classes)
        return err_set(why, ERR_CORRUPT, "more than %u fields, or no class",
                       FIELDS_MAX);
    if (!grow((void **)&t->fields, t->n_fields, sizeof *t->fields))
        return err_set(why, ERR_NOMEM, "fields of a recording");
    t->fields[t->n_fields++] = (struct field){
        .class_id = number_of(&a->class_id),
        .slot = slot_of(&a->name),
        .pool = is(&a->pool, "true"),
        .array = number_of(&a->dimension) > 0,
    };
    t->classes[t->n_classes - 1].n++;
    return ERR_OK;
}

static enum err take_element(struct jfr_types *t, int depth, struct why *why)
{
    struct text name = take_name(t);
    struct attributes a = take_attributes(t);
    enum err e = ERR_OK;
    if (depth == DEPTH_MAX)
        return err_set(why, ERR_CORRUPT, "more than %d levels", DEPTH_MAX);
    if (is(&name, "class"))
        e = add_class(t, &a, why);
    else if (is(&name, "field"))
        e = add_field(t, &a, why);
    for (uint64_t n = jfr_bytes_number(&t->bytes); !e && n && !t->bytes.bad;
         n--)
        e = take_element(t, depth + 1, why);
    return e;
}

static enum err take_texts(struct jfr_types *t, struct why *why)
{
    uint64_t n = jfr_bytes_number(&t->bytes);
    if (n > TEXTS_MAX)
        return err_set(why, ERR_CORRUPT, "%llu texts; accepted: at most %u",
                       (unsigned long long)n, TEXTS_MAX);
    t->texts = calloc((size_t)n + 1, sizeof *t->texts);
    if (!t->texts)
        return err_set(why, ERR_NOMEM, "texts of a recording");
    t->n_texts = (size_t)n;
    for (size_t i = 0; i < t->n_texts && !t->bytes.bad; i++)
        t->texts[i].at = jfr_bytes_text(&t->bytes, &t->texts[i].len);
    return ERR_OK;
}

/* Forms ------------------------------------------------------------------- */

const struct jfr_class *jfr_types_numbered(const struct jfr_types *types,
                                           uint64_t id)
{
    for (size_t i = 0; i < types->n_classes; i++)
        if (types->classes[i].id == id)
            return &types->classes[i];
    return NULL;
}

static enum form form_of(const struct text *name)
{
    static const struct {
        const char *name;
        enum form form;
    } known[] = {{"boolean", FORM_1},
                 {"byte", FORM_1},
                 {"char", FORM_NUMBER},
                 {"short", FORM_NUMBER},
                 {"int", FORM_NUMBER},
                 {"long", FORM_NUMBER},
                 {"float", FORM_4},
                 {"double", FORM_8},
                 {"java.lang.String", FORM_TEXT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is(name, known[i].name))
            return known[i].form;
    return FORM_CLASS;
}

static enum err resolve(struct jfr_types *t, struct why *why)
{
    for (size_t i = 0; i < t->n_fields; i++) {
        struct field *f = &t->fields[i];
        const struct jfr_class *c = jfr_types_numbered(t, f->class_id);
        if (!c)
            return err_set(why, ERR_CORRUPT,
                           "a field of class %llu, which is "
                           "not there",
                           (unsigned long long)f->class_id);
        f->class_at = (uint32_t)(c - t->classes);
        f->form = f->pool ? FORM_NUMBER : (uint8_t)form_of(&c->name);
    }
    return ERR_OK;
}

enum err jfr_types_read(struct jfr_types **out, const uint8_t *data, size_t len,
                        struct why *why)
{
    struct jfr_types *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return err_set(why, ERR_NOMEM, "types of a recording");
    t->bytes = (struct jfr_bytes){data, data + len, false};
    for (int i = 0; i < 3; i++) /* start, duration, number */
        (void)jfr_bytes_number(&t->bytes);
    enum err e = take_texts(t, why);
    if (!e)
        e = take_element(t, 0, why);
    if (!e && t->bytes.bad)
        e = err_set(why, ERR_CORRUPT, "it ends too early");
    if (!e)
        e = resolve(t, why);
    if (!e) {
        *out = t;
        t = NULL;
    }
    jfr_types_free(t);
    return e ? err_wrap(why, e, "metadata") : ERR_OK;
}

void jfr_types_free(struct jfr_types *types)
{
    if (!types)
        return;
    free(types->texts);
    free(types->classes);
    free(types->fields);
    free(types);
}

/* Values ------------------------------------------------------------------ */

const struct jfr_class *jfr_types_named(const struct jfr_types *types,
                                        const char *name)
{
    for (size_t i = 0; i < types->n_classes; i++)
        if (is(&types->classes[i].name, name))
            return &types->classes[i];
    return NULL;
}

uint64_t jfr_class_id(const struct jfr_class *class)
{
    return class->id;
}

static void take_class(const struct jfr_types *t, const struct jfr_class *c,
                       struct jfr_bytes *bytes, struct jfr_values *out,
                       int depth);

/* One value of a field; out NULL: it is passed over. */
static void take_one(const struct jfr_types *t, const struct field *f,
                     struct jfr_bytes *bytes, struct jfr_values *out, int depth)
{
    size_t len = 0;
    const char *text = "";
    uint64_t number = 0;
    switch ((enum form)f->form) {
    case FORM_CLASS:
        take_class(t, &t->classes[f->class_at], bytes, NULL, depth + 1);
        break;
    case FORM_NUMBER:
        number = jfr_bytes_number(bytes);
        break;
    case FORM_TEXT:
        text = jfr_bytes_text(bytes, &len);
        break;
    case FORM_1:
        number = jfr_bytes_u8(bytes);
        break;
    case FORM_4:
    case FORM_8:
        jfr_bytes_skip(bytes, f->form == FORM_4 ? 4 : 8);
        break;
    }
    if (!out || f->slot == JFR_SLOTS_ALL)
        return;
    out->number[f->slot] = number;
    out->text[f->slot] = text;
    out->len[f->slot] = len;
}

/* Classes without bytes could be nested and repeated for ever. */
static void take_class(const struct jfr_types *t, const struct jfr_class *c,
                       struct jfr_bytes *bytes, struct jfr_values *out,
                       int depth)
{
    if (depth == DEPTH_MAX || (depth && !c->n))
        bytes->bad = true;
    for (uint32_t i = 0; i < c->n && !bytes->bad; i++) {
        const struct field *f = &t->fields[c->first + i];
        if (!f->array) {
            take_one(t, f, bytes, out, depth);
            continue;
        }
        for (uint64_t n = jfr_bytes_number(bytes); n && !bytes->bad; n--)
            take_one(t, f, bytes, NULL, depth);
    }
}

void jfr_types_value(const struct jfr_types *types,
                     const struct jfr_class *class, struct jfr_bytes *bytes,
                     struct jfr_values *out)
{
    memset(out, 0, sizeof *out);
    take_class(types, class, bytes, out, 0);
}
