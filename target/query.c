#include "target/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "target/flatten.h"
#include "target/tokenizer.h"

/* An expression being written. Empty pieces (words that no field has) stand
 * for "nothing matches". */
struct writer {
    const struct fields *fields;
    FILE *out;
    unsigned clauses;
    struct why *why;
};

/* What a query came to: something was written, everything, or nothing. */
enum outcome { WROTE, ALL, NOTHING };

static enum err query(struct writer *w, const struct jv *q, unsigned depth,
                      enum outcome *outcome);

static enum err bad(const struct writer *w, enum err e, const char *type,
                    const char *what)
{
    return err_set(w->why, e, "[%s] %s", type, what);
}

static enum err count_clause(struct writer *w)
{
    if (++w->clauses > QUERY_CLAUSES_MAX)
        return err_set(w->why, ERR_RANGE,
                       "too_many_clauses: maxClauseCount is set to %u",
                       QUERY_CLAUSES_MAX);
    return ERR_OK;
}

/* "\2ffvalue" as a string of FTS5's, quotes doubled; control bytes, which no
 * term has and NUL cannot be, become blanks. */
static void put_string(struct writer *w, char how, const struct field *field,
                       const char *text, size_t len)
{
    char mark[FLATTEN_MARK];
    flatten_mark(mark, how, field);
    (void)fputc('"', w->out);
    (void)fwrite(mark, 1, sizeof mark, w->out);
    for (size_t i = 0; i < len; i++) {
        char c = (uint8_t)text[i] < 0x20 ? ' ' : text[i];
        if (c == '"')
            (void)fputc('"', w->out);
        (void)fputc(c, w->out);
    }
    (void)fputc('"', w->out);
}

/* The only member of an object that names a field: {"name": ...}. */
static enum err only_field(struct writer *w, const char *type,
                           const struct jv *q, const char **name,
                           const struct jv **value)
{
    *value = jv_member(q, 0, name);
    if (jv_type(q) != JV_OBJECT || jv_size(q) != 1)
        return bad(w, ERR_INVALID, type, "query takes one field");
    return ERR_OK;
}

/* A scalar as the text that it has in a document. */
static char *value_text(const struct jv *v)
{
    if (jv_type(v) == JV_STRING)
        return strdup(jv_text(v, ""));
    return jv_type(v) == JV_NUMBER || jv_type(v) == JV_BOOL ? jv_print(v, false)
                                                            : NULL;
}

/* One term as it stands, joined with OR to what was written before. */
static enum err term(struct writer *w, const char *type, const char *name,
                     const struct jv *v, enum outcome *outcome)
{
    const struct field *field = fields_find(w->fields, name, strlen(name));
    char *text = value_text(v);
    enum err e = text ? count_clause(w)
                      : bad(w, ERR_INVALID, type, "takes texts and numbers");
    size_t len = text ? strlen(text) : 0;
    if (!e && field && field->kind != FIELD_NONE && len &&
        len <= FLATTEN_TERM_MAX) {
        if (*outcome == WROTE)
            (void)fputs(" OR ", w->out);
        put_string(w, FLATTEN_EXACT, field, text, len);
        *outcome = WROTE;
    }
    free(text);
    return e;
}

static enum err one_term(struct writer *w, const struct jv *q,
                         enum outcome *outcome)
{
    const char *name;
    const struct jv *v;
    enum err e = only_field(w, "term", q, &name, &v);
    if (!e && jv_type(v) == JV_OBJECT)
        v = jv_get(v, "value");
    return e ? e : term(w, "term", name, v, outcome);
}

static enum err terms(struct writer *w, const struct jv *q,
                      enum outcome *outcome)
{
    const char *name;
    const struct jv *v;
    enum err e = only_field(w, "terms", q, &name, &v);
    if (!e && jv_type(v) != JV_ARRAY)
        return bad(w, ERR_INVALID, "terms", "query requires a list");
    for (size_t i = 0; !e && i < jv_size(v); i++)
        e = term(w, "terms", name, jv_at(v, i), outcome);
    return e;
}

/* The next word of a text; *at moves behind it. */
static size_t next_word(const char *text, size_t *at)
{
    while (text[*at] && !tokenizer_in_word((uint8_t)text[*at]))
        ++*at;
    size_t begin = *at;
    while (tokenizer_in_word((uint8_t)text[*at]) &&
           *at - begin < TOKENIZER_WORD_MAX)
        ++*at;
    return *at - begin;
}

/* The words of a text, joined by word ("OR", "AND"); NULL: as one phrase. */
static enum err put_words(struct writer *w, const struct field *field,
                          const char *text, const char *join,
                          enum outcome *outcome)
{
    size_t at = 0, len;
    enum err e = ERR_OK;
    if (!join) {
        if (next_word(text, &at)) {
            put_string(w, FLATTEN_WORDS, field, text, strlen(text));
            *outcome = WROTE;
        }
        return count_clause(w);
    }
    while (!e && (len = next_word(text, &at))) {
        if (*outcome == WROTE)
            (void)fprintf(w->out, " %s ", join);
        put_string(w, FLATTEN_WORDS, field, text + at - len, len);
        *outcome = WROTE;
        e = count_clause(w);
    }
    return e;
}

/* match and match_phrase: a text, or {"query": text, "operator": "and"}. */
static enum err match(struct writer *w, const char *type, const struct jv *q,
                      enum outcome *outcome)
{
    static const char *const keys[] = {"query", "operator", NULL};
    bool phrase = !strcmp(type, "match_phrase");
    const char *name, *joint = "or";
    const struct jv *v;
    enum err e = only_field(w, type, q, &name, &v);
    if (!e && jv_type(v) == JV_OBJECT) {
        e = jv_only(v, phrase ? (const char *const[]){"query", NULL} : keys,
                    w->why);
        joint = jv_text(jv_get(v, "operator"), joint);
        v = jv_get(v, "query");
    }
    bool all = !strcmp(joint, "and") || !strcmp(joint, "AND");
    if (!e && !all && strcmp(joint, "or") != 0 && strcmp(joint, "OR") != 0)
        e = bad(w, ERR_INVALID, type, "operator is \"and\" or \"or\"");
    if (e)
        return e;
    const struct field *field = fields_find(w->fields, name, strlen(name));
    if (field && field->kind == FIELD_EXACT)
        return term(w, type, name, v, outcome);
    char *text = value_text(v);
    if (!text)
        return bad(w, ERR_INVALID, type, "query takes a text");
    if (field && field->kind == FIELD_TEXT)
        e = put_words(w, field, text,
                      phrase ? NULL
                      : all  ? "AND"
                             : "OR",
                      outcome);
    free(text);
    return e;
}

/* A clause of a bool: a query, or a list of them, joined by word. Queries that
 * match nothing stay out of an OR and spoil an AND; one that matches all is
 * left out of an AND. */
static enum err clause(struct writer *w, const struct jv *list,
                       const char *join, unsigned depth, enum outcome *outcome)
{
    bool is_and = !strcmp(join, "AND");
    size_t n = jv_type(list) == JV_ARRAY ? jv_size(list) : list ? 1 : 0;
    bool wrote = false, nothing = false, all = false;
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < n; i++) {
        const struct jv *q = jv_type(list) == JV_ARRAY ? jv_at(list, i) : list;
        enum outcome one = NOTHING;
        char *text = NULL;
        size_t len = 0;
        struct writer inner = *w;
        inner.out = open_memstream(&text, &len);
        if (!inner.out)
            return err_set(w->why, ERR_NOMEM, "no memory for a query");
        e = query(&inner, q, depth + 1, &one);
        (void)fclose(inner.out);
        w->clauses = inner.clauses;
        if (!e && one == WROTE) {
            (void)fprintf(w->out, "%s(",
                          wrote ? is_and ? " AND " : " OR " : "");
            (void)fwrite(text, 1, len, w->out);
            (void)fputc(')', w->out);
            wrote = true;
        }
        free(text);
        nothing |= one == NOTHING;
        all |= one == ALL;
    }
    if (is_and)
        *outcome = nothing ? NOTHING : wrote ? WROTE : ALL;
    else
        *outcome = all ? ALL : wrote ? WROTE : NOTHING;
    return e;
}

/* Write one clause into a text of its own. */
static enum err clause_text(struct writer *w, const struct jv *list,
                            const char *join, unsigned depth,
                            enum outcome *outcome, char **text)
{
    size_t len;
    struct writer inner = *w;
    *text = NULL;
    inner.out = open_memstream(text, &len);
    if (!inner.out)
        return err_set(w->why, ERR_NOMEM, "no memory for a query");
    enum err e = clause(&inner, list, join, depth, outcome);
    (void)fclose(inner.out);
    w->clauses = inner.clauses;
    return e;
}

/* (must AND filter), or should, NOT must_not. FTS5 scores all words alike, so
 * a filter scores as well; a "should" that only adds to the score, and a
 * "must_not" alone, cannot be said in its language. */
static enum err boolean(struct writer *w, const struct jv *q, unsigned depth,
                        enum outcome *outcome)
{
    static const char *const keys[] = {"must", "filter", "should", "must_not",
                                       NULL};
    const struct jv *must = jv_get(q, "must"), *filter = jv_get(q, "filter");
    const struct jv *should = jv_get(q, "should"), *not = jv_get(q, "must_not");
    enum outcome of[3] = {ALL, ALL, NOTHING};
    char *text[3] = {NULL, NULL, NULL};
    enum err e = jv_only(q, keys, w->why);
    if (!e && should && (must || filter))
        e = bad(w, ERR_UNSUPPORTED, "bool",
                "with [should] beside [must] or "
                "[filter] is not supported here");
    if (!e)
        e = clause_text(w, should ? should : must, should ? "OR" : "AND", depth,
                        &of[0], &text[0]);
    if (!e)
        e = clause_text(w, filter, "AND", depth, &of[1], &text[1]);
    if (!e && not )
        e = clause_text(w, not, "OR", depth, &of[2], &text[2]);
    bool none = of[0] == NOTHING || of[1] == NOTHING || of[2] == ALL;
    bool wrote = of[0] == WROTE || of[1] == WROTE;
    if (!e && !none && of[2] == WROTE && !wrote)
        e = bad(w, ERR_UNSUPPORTED, "bool",
                "with only [must_not] is not supported here");
    if (!e && !none && wrote) {
        bool both = of[0] == WROTE && of[1] == WROTE;
        (void)fprintf(w->out, "(%s%s%s)", of[0] == WROTE ? text[0] : "",
                      both ? ") AND (" : "", of[1] == WROTE ? text[1] : "");
        if (of[2] == WROTE)
            (void)fprintf(w->out, " NOT (%s)", text[2]);
    }
    *outcome = none ? NOTHING : wrote ? WROTE : ALL;
    for (size_t i = 0; i < 3; i++)
        free(text[i]);
    return e;
}

static enum err query(struct writer *w, const struct jv *q, unsigned depth,
                      enum outcome *outcome)
{
    const char *type;
    const struct jv *body = jv_member(q, 0, &type);
    *outcome = NOTHING;
    if (jv_type(q) != JV_OBJECT || jv_size(q) != 1)
        return err_set(w->why, ERR_INVALID,
                       "a query is an object with one member, its type");
    if (depth == QUERY_DEPTH_MAX)
        return err_set(w->why, ERR_RANGE, "a query of more than %u levels",
                       QUERY_DEPTH_MAX);
    if (!strcmp(type, "match_all")) {
        *outcome = ALL;
        return ERR_OK;
    }
    if (!strcmp(type, "match_none"))
        return ERR_OK;
    if (!strcmp(type, "term"))
        return one_term(w, body, outcome);
    if (!strcmp(type, "terms"))
        return terms(w, body, outcome);
    if (!strcmp(type, "match") || !strcmp(type, "match_phrase"))
        return match(w, type, body, outcome);
    if (!strcmp(type, "bool"))
        return boolean(w, body, depth, outcome);
    return err_set(w->why, ERR_UNSUPPORTED,
                   "query [%.64s] is not supported here; supported are "
                   "match_all, match_none, term, terms, match, match_phrase, "
                   "bool, constant_score",
                   type);
}

static enum err read_number(const struct jv *v, const char *key, uint32_t *to,
                            struct why *why)
{
    uint64_t n = jv_u64(v, UINT64_MAX);
    if (!v)
        return ERR_OK;
    if (n > QUERY_WINDOW_MAX)
        return err_set(why, ERR_RANGE, "[%s] is a whole number from 0 to %u",
                       key, QUERY_WINDOW_MAX);
    *to = (uint32_t)n;
    return ERR_OK;
}

/* Everything but the query itself. */
static enum err read_window(struct query *q, const struct jv *body,
                            struct why *why)
{
    static const char *const keys[] = {
        "query", "from", "size", "_source", "track_total_hits", "sort", NULL};
    const struct jv *source = jv_get(body, "_source"),
                    *sort = jv_get(body, "sort");
    enum err e = jv_only(body, keys, why);
    if (e)
        return ERR_UNSUPPORTED;
    if (jv_type(sort) == JV_ARRAY && jv_size(sort) == 1)
        sort = jv_at(sort, 0);
    q->by_doc = sort != NULL;
    if (sort && strcmp(jv_text(sort, ""), "_doc") != 0)
        return err_set(why, ERR_UNSUPPORTED, "[sort] is [_doc] here");
    if (source && jv_type(source) != JV_BOOL)
        return err_set(why, ERR_UNSUPPORTED,
                       "[_source] is true or false here: fields are not "
                       "filtered");
    q->source = jv_bool(source, true);
    e = read_number(jv_get(body, "from"), "from", &q->from, why);
    if (!e)
        e = read_number(jv_get(body, "size"), "size", &q->size, why);
    if (!e && q->from + q->size > QUERY_WINDOW_MAX)
        e = err_set(why, ERR_RANGE,
                    "Result window is too large, from + size must be less than "
                    "or equal to: [%u] but was [%u]",
                    QUERY_WINDOW_MAX, q->from + q->size);
    return e;
}

static enum err read_query(struct query *q, const struct fields *fields,
                           const struct jv *body, struct why *why)
{
    static const char *const keys[] = {"filter", "boost", NULL};
    const struct jv *asked = jv_get(body, "query");
    const struct jv *constant = jv_get(asked, "constant_score");
    struct writer w = {.fields = fields, .why = why};
    enum outcome outcome = ALL;
    size_t len;
    enum err e = ERR_OK;
    if (constant) {
        e = jv_only(constant, keys, why);
        q->score = jv_number(jv_get(constant, "boost"), 1);
        asked = jv_get(constant, "filter");
        if (!e && !asked)
            e = err_set(why, ERR_INVALID,
                        "[constant_score] requires a 'filter' element");
    }
    w.out = open_memstream(&q->expr, &len);
    if (!w.out)
        return err_set(why, ERR_NOMEM, "no memory for a query");
    if (!e && asked)
        e = query(&w, asked, 0, &outcome);
    (void)fclose(w.out);
    q->kind = outcome == ALL     ? QUERY_ALL
              : outcome == WROTE ? QUERY_EXPR
                                 : QUERY_NONE;
    return e;
}

enum err query_parse(struct query *q, const struct fields *fields,
                     const char *text, size_t len, struct why *why)
{
    struct jv *body = NULL;
    *q = (struct query){.size = 10, .score = -1, .source = true};
    enum err e = len ? jv_parse(&body, "body", text, len, why) : ERR_OK;
    if (!e && body)
        e = read_window(q, body, why);
    if (!e)
        e = read_query(q, fields, body, why);
    jv_free(body);
    if (e)
        query_free(q);
    return e;
}

void query_free(struct query *q)
{
    free(q->expr);
    q->expr = NULL;
}
