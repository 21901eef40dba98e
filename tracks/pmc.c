/* The pmc corpus: papers in full text, with the fields of Rally's pmc track.
 *
 * Published (elastic/rally-tracks, pmc/track.json): 574,199 documents in
 * 23,256,051,757 bytes, 40,502 bytes each with its newline, sent 500 a bulk,
 * so 20.25 MB a bulk on average; the largest object that the heap saw was 46.57
 * MiB. Papers of one length each could not give such a bulk: the source lists
 * them journal by journal, and journals differ. So a document's size is the
 * mean times a factor of its journal (500 neighbours) times one of its own,
 * both nearly lognormal with mean 1 (sigma 0.33 and 0.65). Of 1148 bulks of 500
 * the largest then has 47 to 50 MB, the least about 6 MB. The two sigmas are
 * ours, chosen for that largest bulk; nothing finer is published. */
#include "tracks/pmc.h"

#include <assert.h>

#include "tracks/generator.h"
#include "tracks/prose.h"

#define MEAN_BYTES   40501u /* and the newline */
#define JOURNAL_DOCS 500u
#define JOURNAL_SALT 0x6a6f75726e616c73u
#define ONE          1024u /* of the factors below */

static const uint32_t journal_factor[DRAW_QUANTILES] = {
    307,  524,  585,  628,  663,  695,  724,  751,  776,  801,  825,
    849,  873,  897,  921,  945,  970,  995,  1021, 1049, 1077, 1107,
    1139, 1174, 1211, 1253, 1300, 1353, 1417, 1498, 1609, 1793, 2381};

static const uint32_t document_factor[DRAW_QUANTILES] = {
    61,   247,  306,  352,  392,  430,  466,  500,  535,  569,  603,
    638,  674,  711,  748,  788,  829,  872,  918,  967,  1020, 1077,
    1139, 1208, 1285, 1373, 1476, 1598, 1751, 1953, 2247, 2782, 4564};

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct date {
    unsigned year, month, day; /* month from 0 */
};

size_t pmc_bytes(uint64_t seed, uint64_t i)
{
    struct rand journal = draw_begin(seed ^ JOURNAL_SALT, i / JOURNAL_DOCS);
    struct rand document = draw_begin(seed, i);
    uint64_t bytes = MEAN_BYTES * draw_quantile(&journal, journal_factor) *
                     draw_quantile(&document, document_factor) / ONE / ONE;
    assert(bytes >= PMC_BYTES_MIN && bytes <= PMC_BYTES_MAX);
    return (size_t)bytes;
}

static void put_title(struct rand *r, struct draw_out *o, unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        char *word = o->at;
        /* No article or preposition: from rank 31 on. */
        unsigned rank = 31 + prose_rank(r) % (PROSE_WORDS - 31);
        o->at += prose_word(word, rank);
        *word = (char)(*word - 'a' + 'A');
        if (i + 1 < words)
            *o->at++ = ' ';
    }
}

static void put_date(struct draw_out *o, const struct date *d, const char *gap)
{
    draw_put_u64(o, d->year);
    draw_put(o, gap);
    draw_put(o, months[d->month]);
    draw_put(o, gap);
    draw_put_u64(o, d->day);
}

static void put_timestamp(struct rand *r, struct draw_out *o,
                          const struct date *d)
{
    draw_put_u64(o, d->year);
    *o->at++ = '-';
    draw_put_digits(o, d->month + 1, 2);
    *o->at++ = '-';
    draw_put_digits(o, d->day, 2);
    *o->at++ = ' ';
    draw_put_digits(o, rand_bounded(r, 24), 2);
    *o->at++ = ':';
    draw_put_digits(o, rand_bounded(r, 60), 2);
    *o->at++ = ':';
    draw_put_digits(o, rand_bounded(r, 60), 2);
}

/* Everything before the body's text: at most PMC_BYTES_MIN - 100 bytes. */
static void put_fields(struct rand *r, struct draw_out *o, uint64_t seed,
                       uint64_t i)
{
    struct rand journal = draw_begin(seed ^ JOURNAL_SALT, i / JOURNAL_DOCS);
    const struct date date = {.year = 2001 + (unsigned)rand_bounded(r, 16),
                              .month = (unsigned)rand_bounded(r, 12),
                              .day = 1 + (unsigned)rand_bounded(r, 28)};
    char title[4 * PROSE_WORD_MAX + 4];
    struct draw_out t = {title};
    (void)rand_next(&journal); /* the first draw is the size's */
    put_title(&journal, &t, 2 + (unsigned)rand_bounded(&journal, 2));
    *t.at = 0;
    uint64_t volume = 1 + rand_bounded(r, 80), page = 1 + rand_bounded(r, 3000);
    draw_put(o, "{\"name\": \"");
    for (const char *c = title; *c; c++)
        *o->at++ = *c == ' ' ? '_' : *c;
    *o->at++ = '_';
    put_date(o, &date, "_");
    *o->at++ = '_';
    draw_put_u64(o, volume);
    *o->at++ = '_';
    draw_put_u64(o, page);
    draw_put(o, "\", \"journal\": \"");
    draw_put(o, title);
    draw_put(o, "\", \"date\": \"");
    put_date(o, &date, " ");
    draw_put(o, "\", \"volume\": \"");
    draw_put_u64(o, volume);
    draw_put(o, "\", \"issue\": \"");
    draw_put_u64(o, page);
    *o->at++ = '-';
    draw_put_u64(o, page + rand_bounded(r, 20));
    draw_put(o, "\", \"accession\": \"PMC");
    draw_put_u64(o, 1000000 + i);
    draw_put(o, "\", \"timestamp\": \"");
    put_timestamp(r, o, &date);
    draw_put(o, "\", \"pmid\": \"");
    draw_put_u64(o, 10000000 + rand_bounded(r, 17000000));
    draw_put(o, "\", \"body\": \"\\n==== Front\\n");
}

static size_t make(char *buf, uint64_t seed, uint64_t i)
{
    static const char end[] = "\"}";
    size_t bytes = pmc_bytes(seed, i);
    struct rand r = draw_begin(seed, i);
    struct draw_out o = {buf};
    (void)rand_next(&r); /* the first draw is the size's */
    put_fields(&r, &o, seed, i);
    prose_fill(&r, &o, bytes - (size_t)(o.at - buf) - (sizeof end - 1));
    draw_put(&o, end);
    return (size_t)(o.at - buf);
}

const struct generator generator_pmc = {
    .name = "pmc",
    .version = 1,
    .about = "papers in full text, about 40 kB a document, up to 400 kB",
    .doc_max = PMC_BYTES_MAX,
    .make = make};
