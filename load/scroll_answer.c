#include "load/scroll_answer.h"

#include <string.h>

void scroll_answer_begin(struct scroll_answer *a)
{
    a->total_known = a->hits_known = a->any = false;
    a->total = 0;
    a->in_string = a->escaped = a->takes_id = a->within = a->opened = false;
    a->depth = 0;
    a->key = SCROLL_KEY_NONE;
    a->word_len = 0;
}

static bool is_word(const struct scroll_answer *a, const char *word)
{
    return a->word_len == strlen(word) && !memcmp(a->word, word, a->word_len);
}

/* What the word before a colon announces here. "total" is a number, or an
 * object whose "value" is it. */
static enum scroll_key key_of(const struct scroll_answer *a)
{
    if (a->depth == 1 && is_word(a, "_scroll_id"))
        return SCROLL_KEY_ID;
    if (a->depth == 1 && is_word(a, "hits"))
        return SCROLL_KEY_OUTER;
    if (!a->within || a->hits_known)
        return SCROLL_KEY_NONE;
    if (a->depth == 2 && is_word(a, "hits"))
        return SCROLL_KEY_LIST;
    if ((a->depth == 2 && is_word(a, "total")) ||
        (a->depth == 3 && is_word(a, "value")))
        return SCROLL_KEY_TOTAL;
    return SCROLL_KEY_NONE;
}

static void in_string(struct scroll_answer *a, char c)
{
    bool ends = c == '"' && !a->escaped;
    a->escaped = c == '\\' && !a->escaped;
    if (ends) {
        a->in_string = a->takes_id = false;
    } else if (a->takes_id && a->id_len < SCROLL_ID_MAX) {
        a->id[a->id_len++] = c;
        a->id[a->id_len] = 0;
    } else if (a->takes_id) {
        a->id[a->id_len = 0] = 0; /* too long to be sent back */
        a->takes_id = false;
    } else if (a->word_len < sizeof a->word) {
        a->word[a->word_len++] = c;
    }
}

static void string_begins(struct scroll_answer *a)
{
    a->in_string = true;
    a->word_len = 0;
    a->takes_id = a->key == SCROLL_KEY_ID;
    if (a->takes_id)
        a->id[a->id_len = 0] = 0;
    a->key = SCROLL_KEY_NONE;
}

static void opens(struct scroll_answer *a, char c)
{
    a->depth++;
    a->within = a->within || (a->key == SCROLL_KEY_OUTER && c == '{');
    a->opened = a->key == SCROLL_KEY_LIST && c == '[';
    a->key = SCROLL_KEY_NONE;
    a->word_len = 0;
}

static void closes(struct scroll_answer *a)
{
    a->depth -= a->depth > 0;
    a->within = a->within && a->depth > 1;
    a->key = SCROLL_KEY_NONE;
}

static void digit(struct scroll_answer *a, char c)
{
    if (a->key != SCROLL_KEY_TOTAL)
        return;
    a->total_known = true;
    if (a->total < UINT64_MAX / 16)
        a->total = a->total * 10 + (uint64_t)(c - '0');
}

static void outside(struct scroll_answer *a, char c)
{
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        return;
    if (a->opened) { /* what comes first in the list of hits */
        a->opened = false;
        a->hits_known = true;
        a->any = c != ']';
    }
    if (c == '"')
        string_begins(a);
    else if (c == '{' || c == '[')
        opens(a, c);
    else if (c == '}' || c == ']')
        closes(a);
    else if (c == ':')
        a->key = key_of(a);
    else if (c == ',')
        a->key = SCROLL_KEY_NONE;
    else if (c >= '0' && c <= '9')
        digit(a, c);
}

void scroll_answer_feed(struct scroll_answer *a, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        /* Documents follow, which nobody asks for here. */
        if (a->hits_known && a->id_len && !a->in_string)
            return;
        if (a->in_string)
            in_string(a, data[i]);
        else
            outside(a, data[i]);
    }
}
