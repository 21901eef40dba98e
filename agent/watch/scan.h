/* A cursor over the text of a /proc file: lines, words, whole numbers. Never
 * reads beyond its end, which no terminator has to mark. */
#ifndef PITWALL_AGENT_WATCH_SCAN_H
#define PITWALL_AGENT_WATCH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
    const char *at, *end;
};

static inline struct scan scan_text(const char *text, size_t len)
{
    return (struct scan){text, text + len};
}

/* Take the next line, without its end, as a cursor of its own; false at the
 * end of the text. */
bool scan_line(struct scan *text, struct scan *line);

/* Take the next word (blanks and tabs separate), as a cursor; false when there
 * is none. */
bool scan_word(struct scan *line, struct scan *word);

/* Take the next word as a whole number. False, and the word is taken all the
 * same, when it is none or does not fit. */
bool scan_u64(struct scan *line, uint64_t *out);

/* Take n words; false when there are fewer. */
bool scan_skip(struct scan *line, size_t n);

/* Is the whole cursor this text? */
bool scan_is(const struct scan *word, const char *text);

/* Copy the whole cursor as a text, cut to size. */
void scan_copy(const struct scan *word, char *out, size_t size);

#endif
