#include "controller/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Emphasis begins at a _ that is not inside a word. */
static bool inside_word(const char *text, const char *at)
{
    return at > text && isalnum((unsigned char)at[-1]) &&
           isalnum((unsigned char)at[1]);
}

void markdown_write(const char *text, FILE *out)
{
    for (const char *p = text; *p; p++) {
        if (*p == '<') {
            (void)fputs("&lt;", out);
            continue;
        }
        if (strchr("|\\*", *p) || (*p == '_' && !inside_word(text, p)))
            (void)fputc('\\', out);
        (void)fputc((unsigned char)*p < ' ' ? ' ' : *p, out);
    }
}
