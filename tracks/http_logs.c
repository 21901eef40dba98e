/* The http_logs corpus: lines of a web server's log, with the fields of Rally's
 * http_logs documents.
 *
 * Published (elastic/rally-tracks, http_logs/track.json): 247,249,096 documents
 * in 33,365,244,237 bytes over seven days, 134.9 bytes each with its newline;
 * the days' means lie between 133.6 and 135.3. Sizes differ by the request's
 * path. Pages are drawn by Zipf's law, as visitors of a site do. */
#include <assert.h>

#include "tracks/draw.h"
#include "tracks/generator.h"
#include "tracks/prose.h"

#define DOC_MAX  320
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The first second of the source's first day, and its rate. */
#define BEGIN_S    893964617u
#define DOCS_PER_S 34u

static const char *const languages[] = {"english", "french", "spanish",
                                        "fran\xc3\xa7"
                                        "ais"};
static const uint16_t language_weights[] = {70, 20, 9, 1};

static const char *const folders[] = {
    "images/",         "images/",         "competition/images/",
    "playing/images/", "history/images/", "news/",
    "teams/",          "venues/",         "competition/",
    "individuals/"};

static const char *const endings[] = {".gif", ".html", ".jpg", ".htm",
                                      ".class"};
static const uint16_t ending_weights[] = {66, 18, 12, 3, 1};

static const unsigned statuses[] = {200, 304, 206, 404, 302};
static const uint16_t status_weights[] = {820, 160, 10, 8, 2};

/* Bytes of an answer: pictures of a kilobyte, pages of ten. */
static const uint32_t size_bytes[DRAW_QUANTILES] = {
    40,   85,   110,  180,  230,  300,  380,   430,   500,   620,   780,
    900,  1010, 1150, 1290, 1480, 1690, 1890,  2140,  2500,  2900,  3400,
    3900, 4500, 5200, 6100, 7300, 9000, 11500, 14800, 20500, 38000, 150000};

static void put_path(struct rand *r, struct draw_out *o)
{
    unsigned page = prose_rank(r);
    struct rand name = draw_begin(0, page); /* a page has one name */
    *o->at++ = '/';
    if (rand_bounded(&name, 2)) {
        draw_put(o, languages[draw_weighted(&name, language_weights,
                                            COUNT(languages))]);
        *o->at++ = '/';
    }
    draw_put(o, folders[rand_bounded(&name, COUNT(folders))]);
    for (uint64_t parts = 1 + rand_bounded(&name, 2); parts; parts--) {
        o->at += prose_word(o->at, prose_rank(&name));
        if (parts > 1)
            *o->at++ = '_';
    }
    draw_put(o, endings[draw_weighted(&name, ending_weights, COUNT(endings))]);
}

static size_t make(char *buf, uint64_t seed, uint64_t i)
{
    struct rand r = draw_begin(seed, i);
    struct draw_out o = {buf};
    unsigned status =
        statuses[draw_weighted(&r, status_weights, COUNT(statuses))];
    draw_put(&o, "{\"@timestamp\": ");
    draw_put_u64(&o, BEGIN_S + i / DOCS_PER_S);
    draw_put(&o, ", \"clientip\": \"");
    draw_put_u64(&o, 1 + prose_rank(&r) % 251);
    for (int part = 0; part < 2; part++) {
        *o.at++ = '.';
        draw_put_u64(&o, rand_bounded(&r, 40));
    }
    draw_put(&o, ".0\", \"request\": \"GET ");
    put_path(&r, &o);
    draw_put(&o, rand_bounded(&r, 3) ? " HTTP/1.0\", \"status\": "
                                     : " HTTP/1.1\", \"status\": ");
    draw_put_u64(&o, status);
    draw_put(&o, ", \"size\": ");
    draw_put_u64(&o, status == 304 ? 0 : draw_quantile(&r, size_bytes));
    draw_put(&o, "}");
    assert(o.at - buf <= DOC_MAX);
    return (size_t)(o.at - buf);
}

const struct generator generator_http_logs = {
    .name = "http_logs",
    .version = 1,
    .about = "lines of a web server's log, about 135 bytes a document",
    .doc_max = DOC_MAX,
    .make = make};
