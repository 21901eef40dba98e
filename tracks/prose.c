/* Zipf's law with exponent 1 gives rank k a share of about 1/k, so that each
 * octave of ranks (1, 2..3, 4..7, ...) has the same share: a word is drawn by
 * its octave first, which takes no table and no floating point.
 *
 * The first seven octaves are words of English papers; the others are made of
 * three syllables that spell out the rank, so that they are all different. The
 * words that published tracks search for stand where their queries find some
 * documents and not all. */
#include "tracks/prose.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define OCTAVES 16

static const char frequent[127][12] = {
    "the",        "of",         "and",         "in",       "to",
    "a",          "with",       "for",         "was",      "were",
    "that",       "is",         "by",          "as",       "from",
    "on",         "at",         "this",        "are",      "be",
    "we",         "or",         "an",          "patients", "cells",
    "not",        "data",       "study",       "these",    "which",
    "have",       "cell",       "using",       "between",  "has",
    "analysis",   "results",    "our",         "protein",  "can",
    "been",       "also",       "expression",  "group",    "used",
    "time",       "all",        "than",        "both",     "their",
    "after",      "gene",       "significant", "showed",   "but",
    "model",      "levels",     "high",        "more",     "treatment",
    "two",        "had",        "other",       "figure",   "table",
    "however",    "it",         "studies",     "during",   "clinical",
    "different",  "may",        "effect",      "compared", "one",
    "mice",       "genes",      "human",       "observed", "age",
    "non",        "each",       "control",     "there",    "samples",
    "increased",  "no",         "disease",     "found",    "groups",
    "number",     "such",       "method",      "its",      "cancer",
    "based",      "higher",     "rate",        "risk",     "only",
    "health",     "response",   "activity",    "factors",  "values",
    "they",       "into",       "mean",        "well",     "where",
    "population", "associated", "blood",       "low",      "most",
    "performed",  "previous",   "years",       "reported", "test",
    "tissue",     "three",      "when",        "within",   "proteins",
    "body",       "specific"};

static const char syllables[64][4] = {
    "al", "am", "an", "ar", "ba", "be", "bi", "bo", "ca", "ce", "ci",
    "co", "da", "de", "di", "do", "el", "en", "er", "fa", "fi", "fo",
    "ga", "ge", "gi", "go", "ha", "he", "hy", "ic", "il", "in", "is",
    "la", "le", "li", "lo", "ma", "me", "mi", "mo", "na", "ne", "ni",
    "no", "ol", "on", "or", "pa", "pe", "pi", "po", "ra", "re", "ri",
    "ro", "sa", "se", "si", "so", "ta", "te", "ti", "to"};

static const char endings[16][4] = {"te", "ne", "se", "de", "me", "ry",
                                    "ty", "ly", "my", "um", "us", "ic",
                                    "id", "ol", "an", "ed"};

/* About one word in 64 is followed by one of these instead of a space. */
static const char *const between[16] = {" (p < 0.05) ",
                                        " et al. ",
                                        " \\u00b1 2.4 ",
                                        " 37 \xc2\xb0"
                                        "C ",
                                        "-",
                                        " \xce\xb2-",
                                        " 10 \xc2\xb5M ",
                                        "\\n",
                                        " \\\"",
                                        "\\\" ",
                                        " (n = 12) ",
                                        " [17] ",
                                        " 95% CI ",
                                        " \xe2\x89\xa5 ",
                                        "; ",
                                        "\\n\\n"};

static unsigned rank_of(uint64_t bits)
{
    unsigned octave = (unsigned)bits & (OCTAVES - 1);
    unsigned within = (unsigned)(bits >> 4) & ((1u << octave) - 1);
    return (1u << octave) - 1 + within;
}

unsigned prose_rank(struct rand *r)
{
    return rank_of(rand_next(r));
}

static size_t spell(char *buf, const char *text)
{
    size_t len = strlen(text);
    memcpy(buf, text, len);
    return len;
}

size_t prose_word(char *buf, unsigned rank)
{
    assert(rank < PROSE_WORDS);
    if (rank < sizeof frequent / sizeof *frequent)
        return spell(buf, frequent[rank]);
    switch (rank) { /* P(rank) is 1/16/1024 from 1023 on, 1/16/2048, ... */
    case 1500:
        return spell(buf, "newspaper");
    case 3000:
        return spell(buf, "coverage");
    case 6000:
        return spell(buf, "physician");
    default:
        break;
    }
    /* All syllables are two letters. */
    memcpy(buf, syllables[rank & 63], 2);
    memcpy(buf + 2, syllables[rank >> 6 & 63], 2);
    memcpy(buf + 4, endings[rank >> 12], 2);
    return 6;
}

/* What follows a word, by six bits of chance; returns whether a sentence
 * begins. */
static bool put_between(struct draw_out *o, uint64_t bits)
{
    unsigned kind = (unsigned)bits & 63;
    if (kind == 0) {
        draw_put(o, between[bits >> 6 & 15]);
        return false;
    }
    if (kind < 6) {
        draw_put(o, kind < 4 ? ". " : ", ");
        return kind < 4;
    }
    *o->at++ = ' ';
    return false;
}

/* Whatever is left is filled with a plain word, cut where the space ends. */
static void put_last(struct draw_out *o, size_t bytes)
{
    static const char last[] = "acknowledgements and references follow below.";
    assert(bytes < sizeof last);
    memcpy(o->at, last + sizeof last - 1 - bytes, bytes);
    o->at += bytes;
}

void prose_fill(struct rand *r, struct draw_out *o, size_t bytes)
{
    const char *end = o->at + bytes;
    bool begins = true;
    while ((size_t)(end - o->at) > 2 * PROSE_WORD_MAX) {
        uint64_t bits = rand_next(r);
        char *word = o->at;
        o->at += prose_word(word, rank_of(bits));
        if (begins)
            *word = (char)(*word - 'a' + 'A');
        begins = put_between(o, bits >> 20);
    }
    put_last(o, (size_t)(end - o->at));
}
