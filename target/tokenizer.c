#include "target/tokenizer.h"

#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

#include "target/flatten.h"

typedef int (*term_sink)(void *ctx, int flags, const char *term, int len,
                         int start, int end);

#define PREFIX (FLATTEN_MARK - 1)

bool tokenizer_in_word(uint8_t c)
{
    uint8_t low = c | 0x20;
    return c >= 0x80 || (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9');
}

/* Where the text is being cut. */
struct cut {
    const char *text;
    int at, len;
    void *ctx;
    term_sink sink;
};

static bool at_mark(const struct cut *c)
{
    char b = c->text[c->at];
    return b == FLATTEN_WORDS || b == FLATTEN_EXACT;
}

/* Up to the next mark, which is no part of a word. */
static int emit_words(const uint8_t *fold, struct cut *c)
{
    char term[PREFIX + TOKENIZER_WORD_MAX];
    int rc = SQLITE_OK;
    memcpy(term, c->text + c->at - PREFIX, PREFIX);
    while (c->at < c->len && rc == SQLITE_OK) {
        int start = c->at, n = PREFIX;
        uint8_t folded;
        while (c->at < c->len && n < (int)sizeof term &&
               (folded = fold[(uint8_t)c->text[c->at]])) {
            term[n++] = (char)folded;
            c->at++;
        }
        if (n > (int)PREFIX)
            rc = c->sink(c->ctx, 0, term, n, start, c->at);
        else if (at_mark(c))
            return SQLITE_OK;
        else
            c->at++;
    }
    return rc;
}

static int emit_exact(struct cut *c)
{
    char term[PREFIX + FLATTEN_TERM_MAX];
    int begin = c->at;
    while (c->at < c->len && !at_mark(c))
        c->at++;
    int n = c->at - begin;
    if (n > (int)FLATTEN_TERM_MAX)
        return SQLITE_OK;
    memcpy(term, c->text + begin - PREFIX, PREFIX + (size_t)n);
    return c->sink(c->ctx, 0, term, (int)PREFIX + n, begin, c->at);
}

static int tokenize(Fts5Tokenizer *self, void *ctx, int flags, const char *text,
                    int len, term_sink sink)
{
    const uint8_t *fold = (const uint8_t *)(const void *)self;
    struct cut c = {text, 0, len, ctx, sink};
    int rc = SQLITE_OK;
    (void)flags;
    while (c.at + (int)FLATTEN_MARK <= len && rc == SQLITE_OK) {
        char how = text[c.at];
        c.at += (int)FLATTEN_MARK;
        rc = how == FLATTEN_EXACT ? emit_exact(&c) : emit_words(fold, &c);
    }
    return rc;
}

/* The tokenizer is a table: for each byte 0 outside of words, else the byte in
 * lower case. */
static int create(void *unused, const char **args, int n, Fts5Tokenizer **out)
{
    (void)unused, (void)args, (void)n;
    uint8_t *fold = sqlite3_malloc(256);
    if (!fold)
        return SQLITE_NOMEM;
    for (int c = 0; c < 256; c++) {
        bool upper = c >= 'A' && c <= 'Z';
        fold[c] =
            tokenizer_in_word((uint8_t)c) ? (uint8_t)(upper ? c | 0x20 : c) : 0;
    }
    *out = (Fts5Tokenizer *)(void *)fold;
    return SQLITE_OK;
}

static void destroy(Fts5Tokenizer *self)
{
    sqlite3_free(self);
}

int tokenizer_register(sqlite3 *db)
{
    static fts5_tokenizer methods = {create, destroy, tokenize};
    sqlite3_stmt *stmt = NULL;
    fts5_api *api = NULL;
    int rc = sqlite3_prepare_v2(db, "select fts5(?1)", -1, &stmt, NULL);
    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_pointer(stmt, 1, (void *)&api, "fts5_api_ptr", NULL);
        (void)sqlite3_step(stmt);
        rc = sqlite3_finalize(stmt);
    }
    if (rc == SQLITE_OK && !api)
        rc = SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = api->xCreateTokenizer(api, TOKENIZER_NAME, NULL, &methods, NULL);
    return rc;
}
