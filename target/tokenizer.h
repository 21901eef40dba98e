/* FTS5's tokenizer for marked text (flatten.h): each term begins with its
 * field's number, words are runs of letters, digits and bytes above 0x7f, in
 * lower case as far as ASCII goes. */
#ifndef PITWALL_TARGET_TOKENIZER_H
#define PITWALL_TARGET_TOKENIZER_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

#define TOKENIZER_NAME "pitwall"
#define TOKENIZER_WORD_MAX                                                     \
    255u /* bytes; longer words are cut, as Lucene does */

/* Make it known to a connection; SQLite's result code. */
int tokenizer_register(struct sqlite3 *db);

/* Whether a byte belongs to a word. */
bool tokenizer_in_word(uint8_t byte);

#endif
