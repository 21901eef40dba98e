/* The geonames corpus: places of geonames.org's dump, with the fields and the
 * spacing of Rally's geonames documents.
 *
 * Published (elastic/rally-tracks, geonames/track.json): 11,396,503 documents
 * in 3,547,613,828 bytes, 311.3 bytes each with its newline. Sizes differ by
 * one thing mostly: two places in nine have no alternate names, a few have
 * many. Countries and feature codes follow skewed tables, names are made of
 * syllables, one in six with a letter outside ASCII (then asciiname differs
 * from name). */
#include <stdbool.h>
#include <string.h>

#include "tracks/draw.h"
#include "tracks/generator.h"

#define DOC_MAX    2048
#define NAME_BYTES 80
#define ALT_MAX    40

struct syllable {
    const char *utf8, *ascii;
};

static const struct syllable plain[] = {
    {"al", "al"},   {"an", "an"},   {"ba", "ba"},     {"bel", "bel"},
    {"bor", "bor"}, {"ca", "ca"},   {"chen", "chen"}, {"da", "da"},
    {"dor", "dor"}, {"el", "el"},   {"fa", "fa"},     {"gar", "gar"},
    {"go", "go"},   {"ha", "ha"},   {"hu", "hu"},     {"ka", "ka"},
    {"kon", "kon"}, {"la", "la"},   {"lin", "lin"},   {"lo", "lo"},
    {"ma", "ma"},   {"mar", "mar"}, {"mi", "mi"},     {"mon", "mon"},
    {"na", "na"},   {"ni", "ni"},   {"nor", "nor"},   {"o", "o"},
    {"pa", "pa"},   {"ra", "ra"},   {"ri", "ri"},     {"ro", "ro"},
    {"sa", "sa"},   {"shi", "shi"}, {"sta", "sta"},   {"ta", "ta"},
    {"ti", "ti"},   {"to", "to"},   {"tu", "tu"},     {"va", "va"},
    {"ver", "ver"}, {"wa", "wa"},   {"xi", "xi"},     {"za", "za"}};

static const struct syllable accented[] = {
    {"\xc3\xa9t", "et"}, {"\xc3\xbcn", "un"}, {"\xc3\xa5r", "ar"},
    {"\xc3\xb1o", "no"}, {"\xc5\x8di", "oi"}, {"\xc3\xb6r", "or"},
    {"\xc4\x81n", "an"}, {"\xc3\xa3o", "ao"}, {"\xc5\xa1k", "sk"},
    {"\xc3\xads", "is"}};

static const char *const prefixes[] = {
    "Mount ", "Lake ",  "R\xc3\xado ", "Nahr ",   "Jabal ",  "San ",
    "Santa ", "Cerro ", "Gunung ",     "Sungai ", "Ostrov ", "Bukit "};
static const char *const prefixes_ascii[] = {
    "Mount ", "Lake ",  "Rio ",    "Nahr ",   "Jabal ",  "San ",
    "Santa ", "Cerro ", "Gunung ", "Sungai ", "Ostrov ", "Bukit "};

static const char *const suffixes[] = {" School",   " Church", " Creek",
                                       " Cemetery", " Farm",   " Post Office"};

/* Share out of all weights, about that of the dump's places. The box is where
 * its places lie, in whole degrees. */
static const struct country {
    const char *code, *timezone;
    uint16_t weight;
    int16_t south, north, west, east;
} countries[] = {{"US", "America/New_York", 190, 25, 48, -124, -67},
                 {"CN", "Asia/Shanghai", 80, 20, 53, 74, 134},
                 {"IN", "Asia/Kolkata", 55, 8, 35, 68, 97},
                 {"NO", "Europe/Oslo", 55, 58, 71, 5, 31},
                 {"MX", "America/Mexico_City", 52, 15, 32, -117, -87},
                 {"ID", "Asia/Jakarta", 48, -11, 6, 95, 141},
                 {"RU", "Europe/Moscow", 42, 42, 70, 28, 179},
                 {"CA", "America/Toronto", 34, 42, 70, -140, -53},
                 {"TH", "Asia/Bangkok", 24, 6, 20, 97, 105},
                 {"IR", "Asia/Tehran", 24, 25, 39, 44, 63},
                 {"DE", "Europe/Berlin", 20, 47, 55, 6, 15},
                 {"AU", "Australia/Sydney", 20, -43, -11, 113, 153},
                 {"FR", "Europe/Paris", 18, 42, 51, -5, 8},
                 {"PK", "Asia/Karachi", 18, 24, 36, 61, 77},
                 {"BR", "America/Sao_Paulo", 12, -33, 5, -73, -35},
                 {"JP", "Asia/Tokyo", 10, 31, 45, 129, 145},
                 {"ES", "Europe/Madrid", 8, 36, 43, -9, 3},
                 {"MA", "Africa/Casablanca", 8, 28, 35, -13, -1},
                 {"ZA", "Africa/Johannesburg", 6, -34, -23, 17, 32},
                 {"PE", "America/Lima", 5, -18, 0, -81, -69},
                 {"AD", "Europe/Andorra", 1, 42, 43, 1, 2}};

static const struct feature {
    const char *class, *code;
    uint16_t weight;
} features[] = {{"P", "PPL", 38}, {"H", "STM", 16}, {"S", "SCH", 6},
                {"S", "FRM", 6},  {"T", "HLL", 6},  {"T", "MT", 6},
                {"H", "LK", 5},   {"S", "CH", 5},   {"L", "LCTY", 4},
                {"S", "HTL", 4},  {"T", "PK", 3},   {"P", "PPLA4", 2},
                {"A", "ADM3", 2}, {"H", "RSV", 2},  {"S", "CMTY", 2},
                {"T", "ISL", 2},  {"V", "FRST", 1}, {"R", "RDJCT", 1}};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Weights are short tables: a walk is cheap. */
static const struct country *draw_country(struct rand *r)
{
    uint16_t weights[COUNT(countries)];
    for (size_t i = 0; i < COUNT(countries); i++)
        weights[i] = countries[i].weight;
    return &countries[draw_weighted(r, weights, COUNT(countries))];
}

static const struct feature *draw_feature(struct rand *r)
{
    uint16_t weights[COUNT(features)];
    for (size_t i = 0; i < COUNT(features); i++)
        weights[i] = features[i].weight;
    return &features[draw_weighted(r, weights, COUNT(features))];
}

struct name {
    char utf8[NAME_BYTES], ascii[NAME_BYTES];
};

/* Two or three syllables, first letter upper case where it is ASCII. */
static void put_word(struct rand *r, struct draw_out *utf8,
                     struct draw_out *ascii, bool accent)
{
    char *from = utf8->at, *from_ascii = ascii->at;
    uint64_t n = 2 + rand_bounded(r, 2);
    uint64_t special = accent ? 1 + rand_bounded(r, n - 1) : n;
    for (uint64_t i = 0; i < n; i++) {
        const struct syllable *s =
            i == special ? &accented[rand_bounded(r, COUNT(accented))]
                         : &plain[rand_bounded(r, COUNT(plain))];
        draw_put(utf8, s->utf8);
        draw_put(ascii, s->ascii);
    }
    *from = (char)(*from - 'a' + 'A');
    *from_ascii = (char)(*from_ascii - 'a' + 'A');
}

static void make_name(struct rand *r, struct name *name)
{
    struct draw_out utf8 = {name->utf8}, ascii = {name->ascii};
    uint64_t form = rand_bounded(r, 12);
    if (form < 3) {
        uint64_t p = rand_bounded(r, COUNT(prefixes));
        draw_put(&utf8, prefixes[p]);
        draw_put(&ascii, prefixes_ascii[p]);
    }
    put_word(r, &utf8, &ascii, rand_bounded(r, 6) == 0);
    if (form >= 9) {
        draw_put(&utf8, " ");
        draw_put(&ascii, " ");
        put_word(r, &utf8, &ascii, false);
    }
    if (form == 4 || form == 11) {
        uint64_t s = rand_bounded(r, COUNT(suffixes));
        draw_put(&utf8, suffixes[s]);
        draw_put(&ascii, suffixes[s]);
    }
    *utf8.at = *ascii.at = 0;
}

/* None for two places in nine, then each further one seven times in nine. */
static void put_alternates(struct rand *r, struct draw_out *o)
{
    uint64_t n = 0;
    while (n < ALT_MAX && rand_bounded(r, 9) < 7)
        n++;
    for (uint64_t i = 0; i < n; i++) {
        struct name name;
        make_name(r, &name);
        draw_put(o, i ? "," : ", \"alternatenames\": \"");
        draw_put(o, name.utf8);
    }
    if (n)
        draw_put(o, "\"");
}

/* A point of the box, in hundred-thousandths of a degree. */
static int64_t draw_degree(struct rand *r, int from, int to)
{
    return from * 100000 +
           (int64_t)rand_bounded(r, (uint64_t)(to - from) * 100000);
}

/* Nine places in ten have no known population; the others spread over
 * magnitudes. */
static uint64_t draw_population(struct rand *r, const struct feature *f)
{
    if (*f->class != 'P' || rand_bounded(r, 4))
        return 0;
    uint64_t bound = 100;
    while (bound < 10000000 && rand_bounded(r, 3) == 0)
        bound *= 10;
    return 1 + rand_bounded(r, bound);
}

static size_t make(char *buf, uint64_t seed, uint64_t i)
{
    struct rand r = draw_begin(seed, i);
    const struct country *country = draw_country(&r);
    const struct feature *feature = draw_feature(&r);
    struct name name;
    struct draw_out o = {buf};
    make_name(&r, &name);
    draw_put(&o, "{\"geonameid\": ");
    draw_put_u64(&o, 1000000 + i);
    draw_put(&o, ", \"name\": \"");
    draw_put(&o, name.utf8);
    draw_put(&o, "\", \"asciiname\": \"");
    draw_put(&o, name.ascii);
    draw_put(&o, "\"");
    put_alternates(&r, &o);
    draw_put(&o, ", \"feature_class\": \"");
    draw_put(&o, feature->class);
    draw_put(&o, "\", \"feature_code\": \"");
    draw_put(&o, feature->code);
    draw_put(&o, "\", \"country_code\": \"");
    draw_put(&o, country->code);
    draw_put(&o, "\", \"admin1_code\": \"");
    draw_put_digits(&o, rand_bounded(&r, 32), 2);
    draw_put(&o, "\", \"population\": ");
    draw_put_u64(&o, draw_population(&r, feature));
    draw_put(&o, ", \"dem\": \"");
    draw_put_u64(&o, rand_bounded(&r, 3500));
    draw_put(&o, "\", \"timezone\": \"");
    draw_put(&o, country->timezone);
    draw_put(&o, "\", \"location\": [");
    draw_put_decimal(&o, draw_degree(&r, country->west, country->east), 100000);
    draw_put(&o, ", ");
    draw_put_decimal(&o, draw_degree(&r, country->south, country->north),
                     100000);
    draw_put(&o, "]}");
    return (size_t)(o.at - buf);
}

const struct generator generator_geonames = {
    .name = "geonames",
    .version = 2,
    .about = "place names of the world, about 310 bytes a document",
    .doc_max = DOC_MAX,
    .make = make};
