/* jansson parses, checks and escapes; the tree is our own, because jansson's
 * values know neither their parent nor their line. Both are found in one walk:
 * jansson keeps members in the order of the text and duplicates are refused,
 * so that a cursor moving from value to value through the text (known to be
 * well formed by then) meets the tree's values in the order of the walk. The
 * cursor also reads whole numbers, which jansson would end at 2^63-1. */
#include "common/json.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json_build.h"
#include "common/jv.h"

/* A place in well-formed JSON text. */
struct cursor {
    const char *at, *end;
    unsigned line;
};

static void to_value(struct cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n,:]}", *c->at))
        c->line += *c->at++ == '\n';
    assert(c->at < c->end);
}

static void past_string(struct cursor *c)
{
    for (c->at++; *c->at != '"'; c->at++)
        c->at += *c->at == '\\';
    c->at++;
}

/* A number or a literal into word, cut to size. */
static void past_word(struct cursor *c, char *word, size_t size)
{
    size_t n = 0;
    for (; c->at < c->end && !strchr(" \t\r\n,]}", *c->at); c->at++)
        if (n + 1 < size)
            word[n++] = *c->at;
    word[n] = '\0';
}

static void set_number(struct jv *v, const char *word, double real)
{
    v->as.real = real;
    char *end = NULL;
    errno = 0;
    if (word[0] != '-') {
        uint64_t u64 = strtoull(word, &end, 10);
        if (!*end && !errno) {
            v->number = NUMBER_U64;
            v->as.u64 = u64;
        }
    } else {
        int64_t i64 = strtoll(word, &end, 10);
        if (!*end && !errno && i64 < 0) {
            v->number = NUMBER_I64;
            v->as.i64 = i64;
        }
    }
}

static enum jv_type type_of(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return JV_OBJECT;
    case JSON_ARRAY:
        return JV_ARRAY;
    case JSON_STRING:
        return JV_STRING;
    case JSON_INTEGER:
    case JSON_REAL:
        return JV_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE:
        return JV_BOOL;
    case JSON_NULL:
    default:
        return JV_NULL;
    }
}

static enum err set_scalar(struct jv *v, const json_t *json, struct cursor *c)
{
    char word[32]; /* 2^64 has 20 digits; a longer one is a real anyway */
    if (v->type == JV_STRING) {
        past_string(c);
        v->as.text = strdup(json_string_value(json));
        return v->as.text ? ERR_OK : ERR_NOMEM;
    }
    past_word(c, word, sizeof word);
    if (v->type == JV_NUMBER)
        set_number(v, word, json_real_value(json));
    else if (v->type == JV_BOOL)
        v->as.boolean = json_is_true(json);
    return ERR_OK;
}

/* Copy json, which c is about to meet, below parent (NULL: as *root). */
static enum err take(struct jv **root, struct jv *parent, const char *key,
                     json_t *json, struct cursor *c, unsigned depth)
{
    to_value(c);
    if (depth > JV_DEPTH_MAX)
        return ERR_RANGE;
    struct jv *v = jv_node(parent, type_of(json));
    if (!v)
        return ERR_NOMEM;
    if (root)
        *root = v;
    v->line = c->line;
    if (key && !(v->key = strdup(key)))
        return ERR_NOMEM;
    if (v->type != JV_OBJECT && v->type != JV_ARRAY)
        return set_scalar(v, json, c);
    c->at++;
    enum err e = ERR_OK;
    size_t i;
    const char *name;
    json_t *value;
    if (v->type == JV_ARRAY) {
        json_array_foreach(json, i, value)
        {
            if ((e = take(NULL, v, NULL, value, c, depth + 1)))
                return e;
        }
        return e;
    }
    json_object_foreach(json, name, value)
    {
        to_value(c);
        past_string(c);
        if ((e = take(NULL, v, name, value, c, depth + 1)))
            return e;
    }
    return e;
}

/* jansson quotes what it met, which may be anything. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = ' ';
}

static enum err from_jansson(struct why *why, const char *name,
                             json_error_t *error)
{
    one_line(error->text);
    if (json_error_code(error) == json_error_out_of_memory)
        return err_set(why, ERR_NOMEM, "%s: %s", name, error->text);
    if (json_error_code(error) == json_error_null_character)
        return err_set(why, ERR_INVALID, "%s:%d: \\u0000 is not accepted", name,
                       error->line);
    return err_set(why, ERR_INVALID, "%s:%d: %s", name,
                   error->line > 0 ? error->line : 1, error->text);
}

enum err jv_parse(struct jv **out, const char *name, const char *text,
                  size_t len, struct why *why)
{
    *out = NULL;
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* byte order mark */
        text += 3;
        len -= 3;
    }
    json_error_t error = {0};
    json_t *json = json_loadb(len ? text : "", len,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
                                  JSON_DECODE_INT_AS_REAL,
                              &error);
    if (!json)
        return from_jansson(why, name, &error);
    struct jv *root = NULL;
    struct cursor c = {.at = text, .end = text + len, .line = 1};
    enum err e = take(&root, NULL, NULL, json, &c, 1);
    json_decref(json);
    if (!e && !(root->name = strdup(name)))
        e = ERR_NOMEM;
    if (!e) {
        *out = root;
        return ERR_OK;
    }
    jv_free(root);
    if (e == ERR_RANGE)
        return err_set(why, ERR_INVALID, "%s:%u: more than %d levels", name,
                       c.line, JV_DEPTH_MAX);
    return err_set(why, e, "%s: %s", name, err_text(e));
}

/* At most max bytes of fd into a buffer of max + 1. */
static enum err read_all(int fd, char *buf, size_t max, size_t *len,
                         const char *path, struct why *why)
{
    *len = 0;
    for (;;) {
        ssize_t n = read(fd, buf + *len, max + 1 - *len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(why, errno, "%s", path);
        if (!n)
            return ERR_OK;
        *len += (size_t)n;
        if (*len > max)
            return err_set(why, ERR_RANGE, "%s: larger than %zu bytes", path,
                           max);
    }
}

enum err jv_load(struct jv **out, const char *path, size_t max, struct why *why)
{
    *out = NULL;
    char *buf = NULL;
    size_t len = 0;
    struct stat st;
    enum err e = ERR_OK;
    /* not to wait for the writer of a pipe */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st)) {
        e = err_errno(why, errno, "%s", path);
        goto out;
    }
    if (!S_ISREG(st.st_mode)) {
        e = err_set(why, ERR_INVALID, "%s: not a regular file", path);
        goto out;
    }
    if (!(buf = malloc(max + 1))) {
        e = err_set(why, ERR_NOMEM, "%s: out of memory", path);
        goto out;
    }
    e = read_all(fd, buf, max, &len, path, why);
    if (!e)
        e = jv_parse(out, path, buf, len, why);
out:
    free(buf);
    if (fd >= 0)
        (void)close(fd);
    return e;
}

/* What is printed so far. */
struct print {
    char *text;
    size_t len, cap;
    bool pretty;
};

static int put(const char *data, size_t len, void *ctx)
{
    struct print *p = ctx;
    if (p->len + len + 1 > p->cap) {
        p->cap = (p->len + len + 1) * 2;
        p->text = realloc(p->text, p->cap);
        if (!p->text)
            abort();
    }
    memcpy(p->text + p->len, data, len);
    p->len += len;
    p->text[p->len] = '\0';
    return 0;
}

static void put_text(struct print *p, const char *text)
{
    char *plain = NULL;
    json_t *json = json_string(text);
    if (!json) { /* not UTF-8 */
        plain = strdup(text);
        for (char *c = plain; c && *c; c++)
            if ((unsigned char)*c >= 0x80)
                *c = '?';
        json = plain ? json_string_nocheck(plain) : NULL;
    }
    if (!json || json_dump_callback(json, put, p, JSON_ENCODE_ANY))
        abort();
    json_decref(json);
    free(plain);
}

/* The fewest digits that read back as the same number. */
static void put_real(struct print *p, double real)
{
    char text[40];
    json_t *json = json_real(real);
    if (!json) { /* NaN, infinity */
        (void)put("null", 4, p);
        return;
    }
    for (size_t digits = 15; digits <= 17; digits++) {
        size_t len = json_dumpb(json, text, sizeof text - 1,
                                JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
        assert(len < sizeof text);
        text[len] = '\0';
        if (digits == 17 || strtod(text, NULL) == real) {
            (void)put(text, len, p);
            break;
        }
    }
    json_decref(json);
}

static void put_scalar(struct print *p, const struct jv *v)
{
    char digits[24];
    if (v->type == JV_STRING)
        put_text(p, v->as.text);
    else if (v->type == JV_NUMBER && v->number == NUMBER_REAL)
        put_real(p, v->as.real);
    else if (v->type == JV_NUMBER) {
        int n = v->number == NUMBER_U64
                    ? snprintf(digits, sizeof digits, "%" PRIu64, v->as.u64)
                    : snprintf(digits, sizeof digits, "%" PRId64, v->as.i64);
        (void)put(digits, (size_t)n, p);
    } else if (v->type == JV_BOOL)
        (void)put(v->as.boolean ? "true" : "false", v->as.boolean ? 4 : 5, p);
    else
        (void)put("null", 4, p);
}

static void put_line(struct print *p, unsigned depth)
{
    (void)put("\n", p->pretty ? 1 : 0, p);
    for (unsigned i = 0; p->pretty && i < depth; i++)
        (void)put("  ", 2, p);
}

static void put_value(struct print *p, const struct jv *v, unsigned depth)
{
    bool object = v->type == JV_OBJECT;
    if (!object && v->type != JV_ARRAY) {
        put_scalar(p, v);
        return;
    }
    (void)put(object ? "{" : "[", 1, p);
    for (size_t i = 0; i < v->n; i++) {
        (void)put(",", i ? 1 : 0, p);
        put_line(p, depth + 1);
        if (object) {
            put_text(p, v->child[i]->key);
            (void)put(": ", p->pretty ? 2 : 1, p);
        }
        put_value(p, v->child[i], depth + 1);
    }
    if (v->n)
        put_line(p, depth);
    (void)put(object ? "}" : "]", 1, p);
}

char *jv_print(const struct jv *v, bool pretty)
{
    struct print p = {.pretty = pretty};
    put_value(&p, v, 0);
    return p.text;
}
