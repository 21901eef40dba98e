/* Depths of what matters:
 *
 *   {"took": 3, "errors": true, "items": [ {"index": {"status": 429,
 *   1                                    2 3         4
 *      "error": {"type": "..."}}}, ... ]}
 *               5 */
#include "load/bulk_answer.h"

#include <string.h>

enum { DEPTH_ROOT = 1, DEPTH_ITEMS, DEPTH_ITEM, DEPTH_RESULT, DEPTH_ERROR };

enum { KEY_OTHER, KEY_ERRORS, KEY_ITEMS, KEY_STATUS, KEY_TYPE };

#define STATUS_MAX 1000u /* more digits than a status has change nothing */

void bulk_answer_begin(struct bulk_answer *a)
{
    *a = (struct bulk_answer){0};
}

static bool word_is(const struct bulk_answer *a, const char *word)
{
    return a->word_len == strlen(word) && !memcmp(a->word, word, a->word_len);
}

/* The key that the string before a colon is. */
static int key_of(const struct bulk_answer *a)
{
    if (a->depth == DEPTH_ROOT && word_is(a, "errors"))
        return KEY_ERRORS;
    if (a->depth == DEPTH_ROOT && word_is(a, "items"))
        return KEY_ITEMS;
    if (a->depth == DEPTH_RESULT && a->in_items && word_is(a, "status"))
        return KEY_STATUS;
    if (a->depth == DEPTH_ERROR && a->in_items && word_is(a, "type"))
        return KEY_TYPE;
    return KEY_OTHER;
}

static void string_byte(struct bulk_answer *a, char c)
{
    if (!a->escaped && c == '"') {
        a->in_string = a->in_type = false;
        return;
    }
    a->escaped = !a->escaped && c == '\\';
    if (a->word_len < sizeof a->word)
        a->word[a->word_len] = c;
    a->word_len++;
    if (a->in_type && a->type_len < BULK_ANSWER_TYPE_MAX)
        a->type[a->type_len++] = c;
}

static void string_begin(struct bulk_answer *a)
{
    a->in_string = true;
    a->word_len = 0;
    a->in_type = a->key == KEY_TYPE && !a->type_len;
    a->key = KEY_OTHER;
}

static void count(struct bulk_answer *a)
{
    a->in_number = false;
    a->counted = true;
    if (a->number < 300) {
        a->ok++;
        return;
    }
    a->failed++;
    if (!a->first_failed)
        a->first_failed = a->number;
}

static void open_level(struct bulk_answer *a, char c)
{
    a->depth++;
    if (a->depth == DEPTH_ITEMS)
        a->in_items = c == '[' && a->key == KEY_ITEMS;
    if (a->depth == DEPTH_RESULT)
        a->counted = false;
    a->key = KEY_OTHER;
}

static void close_level(struct bulk_answer *a)
{
    if (a->depth)
        a->depth--;
    a->key = KEY_OTHER;
}

static void literal(struct bulk_answer *a, bool yes)
{
    if (a->key == KEY_ERRORS)
        *(yes ? &a->errors : &a->clean) = true;
    a->key = KEY_OTHER;
}

static void digit(struct bulk_answer *a, char c)
{
    if (a->in_number) {
        if (a->number < STATUS_MAX)
            a->number = a->number * 10 + (unsigned)(c - '0');
    } else if (a->key == KEY_STATUS && !a->counted) {
        a->in_number = true;
        a->number = (unsigned)(c - '0');
    }
    a->key = KEY_OTHER;
}

static void byte(struct bulk_answer *a, char c)
{
    if (c >= '0' && c <= '9') {
        digit(a, c);
        return;
    }
    if (a->in_number)
        count(a);
    switch (c) {
    case '"':
        string_begin(a);
        break;
    case ':':
        a->key = key_of(a);
        break;
    case '{':
    case '[':
        open_level(a, c);
        break;
    case '}':
    case ']':
        close_level(a);
        break;
    case ',':
        a->key = KEY_OTHER;
        a->word_len = 0;
        break;
    case 't':
    case 'f':
        literal(a, c == 't');
        break;
    default:
        break;
    }
}

void bulk_answer_feed(struct bulk_answer *a, const char *data, size_t len)
{
    for (size_t i = 0; i < len && !a->clean; i++)
        if (a->in_string)
            string_byte(a, data[i]);
        else
            byte(a, data[i]);
}

bool bulk_answer_counts(const struct bulk_answer *a)
{
    return a->clean || a->errors || a->ok || a->failed;
}

uint32_t bulk_answer_taken(const struct bulk_answer *a, uint32_t docs)
{
    if (a->clean || !bulk_answer_counts(a))
        return docs;
    return a->ok < docs ? a->ok : docs;
}
