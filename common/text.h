/* What a text may hold that travels or is stored: UTF-8 without NUL and without
 * control characters other than \n and \t. */
#ifndef PITWALL_COMMON_TEXT_H
#define PITWALL_COMMON_TEXT_H

#include <stddef.h>

/* How many of text's len bytes are acceptable before the first that is not;
 * len when all are. Refused: 0x00-0x1f other than \n and \t, DEL, U+0080 to
 * U+009F, overlong forms, surrogates, more than U+10FFFF, a cut sequence. */
size_t text_good(const void *text, size_t len);

/* Put a '?' in the place of every byte that text_good refuses. */
void text_clean(void *text, size_t len);

#endif
