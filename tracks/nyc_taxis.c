/* The nyc_taxis corpus: rides of yellow taxis, with the fields, the order and
 * the spacing of Rally's nyc_taxis documents.
 *
 * Published (elastic/rally-tracks, nyc_taxis/track.json): 165,346,692 documents
 * in 79,802,445,255 bytes, 482.6 bytes each with its newline. They are records:
 * sizes differ by the digits of their numbers only. Coordinates have 13 or 14
 * decimals there, since they went through single precision; trip_type, a field
 * of green taxis, is left out. */
#include <assert.h>

#include "tracks/draw.h"
#include "tracks/generator.h"

#define DOC_MAX  640
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* 2015 began here; rides are spread over its 365 days, in order of time as in
 * the source, a day's rides at its end. */
#define DAY_S 86400u

static const unsigned month_days[] = {31, 28, 31, 30, 31, 30,
                                      31, 31, 30, 31, 30, 31};

/* Miles, in hundredths: half of the rides are below 1.7. */
static const uint32_t distance[DRAW_QUANTILES] = {
    0,   40,  52,  62,  70,  77,  84,  91,  98,  105,  112,
    119, 127, 135, 144, 153, 163, 173, 185, 198, 212,  229,
    248, 271, 298, 331, 374, 430, 510, 640, 930, 1650, 3000};

/* Cents of a tip, of those who pay by card. */
static const uint32_t tip[DRAW_QUANTILES] = {
    0,   80,  100, 100, 110, 120, 130, 140, 150,  156,  166,
    176, 186, 196, 200, 206, 216, 226, 240, 256,  276,  296,
    300, 326, 356, 396, 436, 500, 576, 716, 1000, 1166, 2000};

static const uint16_t passengers[] = {0, 71, 14, 4, 2, 5, 4};
static const uint16_t payments[] = {0, 63, 36, 1};
static const uint16_t rates[] = {0, 195, 4, 1, 1, 1};

static void put_time(struct draw_out *o, uint64_t second)
{
    uint64_t day = second / DAY_S % 365;
    unsigned month = 0;
    while (day >= month_days[month])
        day -= month_days[month++];
    second %= DAY_S;
    draw_put(o, "\"2015-");
    draw_put_digits(o, month + 1, 2);
    *o->at++ = '-';
    draw_put_digits(o, day + 1, 2);
    *o->at++ = ' ';
    draw_put_digits(o, second / 3600, 2);
    *o->at++ = ':';
    draw_put_digits(o, second / 60 % 60, 2);
    *o->at++ = ':';
    draw_put_digits(o, second % 60, 2);
    *o->at++ = '"';
}

/* Around Manhattan; 14 decimals, now and then 13. */
static void put_point(struct rand *r, struct draw_out *o)
{
    static const uint64_t units[] = {10000000000000, 100000000000000,
                                     100000000000000, 100000000000000};
    uint64_t x = units[rand_bounded(r, COUNT(units))];
    uint64_t y = units[rand_bounded(r, COUNT(units))];
    *o->at++ = '[';
    /* -74.02 to -73.77, 40.58 to 40.86 */
    draw_put_decimal(
        o, -(int64_t)(73 * x + x / 100 * 77 + rand_bounded(r, x / 100 * 23)),
        x);
    draw_put(o, ", ");
    draw_put_decimal(
        o, (int64_t)(40 * y + y / 100 * 58 + rand_bounded(r, y / 100 * 28)), y);
    *o->at++ = ']';
}

/* Money as Python prints a float: no zero behind the first decimal. */
static void put_cents(struct draw_out *o, uint64_t cents)
{
    draw_put_decimal(o, (int64_t)(cents % 10 ? cents : cents / 10),
                     cents % 10 ? 100 : 10);
}

static void put_field(struct draw_out *o, const char *name, uint64_t v)
{
    draw_put(o, name);
    draw_put_u64(o, v);
}

static size_t make(char *buf, uint64_t seed, uint64_t i)
{
    struct rand r = draw_begin(seed, i);
    struct draw_out o = {buf};
    uint64_t miles = draw_quantile(&r, distance);
    uint64_t fare = 250 + miles * 5 / 2 / 50 * 50 + 50 * rand_bounded(&r, 8);
    uint64_t extra = 50 * rand_bounded(&r, 3);
    uint64_t toll = rand_bounded(&r, 20) ? 0 : 554;
    uint64_t payment = draw_weighted(&r, payments, COUNT(payments));
    uint64_t tipped = payment == 1 ? draw_quantile(&r, tip) : 0;
    /* 450,000 rides a day, as there. */
    uint64_t from = i / 450000 * DAY_S + i % 450000 * DAY_S / 450000;
    uint64_t to = from + 120 + miles * (2 + rand_bounded(&r, 4));
    draw_put(&o, "{\"total_amount\": ");
    put_cents(&o, fare + extra + toll + tipped + 80);
    draw_put(&o, ", \"improvement_surcharge\": 0.3, \"pickup_location\": ");
    put_point(&r, &o);
    draw_put(&o, ", \"pickup_datetime\": ");
    put_time(&o, from);
    draw_put(&o, ", \"dropoff_datetime\": ");
    put_time(&o, to);
    put_field(&o, ", \"rate_code_id\": \"",
              draw_weighted(&r, rates, COUNT(rates)));
    draw_put(&o, "\", \"tolls_amount\": ");
    put_cents(&o, toll);
    draw_put(&o, ", \"dropoff_location\": ");
    put_point(&r, &o);
    put_field(&o, ", \"passenger_count\": ",
              draw_weighted(&r, passengers, COUNT(passengers)));
    draw_put(&o, ", \"fare_amount\": ");
    put_cents(&o, fare);
    draw_put(&o, ", \"extra\": ");
    put_cents(&o, extra);
    draw_put(&o, ", \"trip_distance\": ");
    put_cents(&o, miles);
    draw_put(&o, ", \"tip_amount\": ");
    put_cents(&o, tipped);
    draw_put(&o, rand_bounded(&r, 100) ? ", \"store_and_fwd_flag\": \"N\""
                                       : ", \"store_and_fwd_flag\": \"Y\"");
    put_field(&o, ", \"payment_type\": \"", payment);
    put_field(&o, "\", \"mta_tax\": 0.5, \"vendor_id\": \"",
              1 + rand_bounded(&r, 2));
    draw_put(&o, "\"}");
    assert(o.at - buf <= DOC_MAX);
    return (size_t)(o.at - buf);
}

const struct generator generator_nyc_taxis = {
    .name = "nyc_taxis",
    .version = 1,
    .about = "taxi rides, about 480 bytes a document",
    .doc_max = DOC_MAX,
    .make = make};
