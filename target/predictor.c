/* Sizes stand in one table: 16, 32 ... 496, then 512 and doubling to 2^30. An
 * adaptive predictor walks it: four steps up when a read filled its buffer, one
 * step down after two reads that the smaller size would have held. The two are
 * counted even when larger reads lie between them, as Netty does.
 *
 * Since 4.1.48 a read that fills its buffer is recorded at once and again as
 * part of the wake-up's total. With one read per wake-up the second record sees
 * the same bytes against the larger size, so it counts as a small one: 1024
 * grows to 16384, then 262144, and one small read later shrinks a step. */
#include "target/predictor.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

#define LINEAR_SIZES 31 /* 16 .. 496 */
#define SIZES        53
#define STEPS_UP     4
#define STEPS_DOWN   1

static uint32_t size_at(int index)
{
    return index < LINEAR_SIZES ? 16u * (uint32_t)(index + 1)
                                : 512u << (index - LINEAR_SIZES);
}

/* The smallest size that holds bytes. */
static int index_of(uint32_t bytes)
{
    int i = 0;
    while (i < SIZES - 1 && size_at(i) < bytes)
        i++;
    return i;
}

static enum err refuse(const char *text, struct why *why)
{
    return err_set(why, ERR_USAGE,
                   "\"%s\": accepted are fixed:SIZE, "
                   "adaptive:MIN-MAX and adaptive:MIN-INITIAL-MAX, such as "
                   "fixed:64k or adaptive:1k-512k (1 byte to 1g, ascending)",
                   text);
}

/* Up to three sizes separated by '-' ; the number of them, 0 when malformed. */
static size_t parse_sizes(const char *text, uint64_t sizes[3])
{
    size_t n = 0;
    for (const char *p = text; n < 3;) {
        char part[24];
        size_t len = strcspn(p, "-");
        if (len >= sizeof part)
            return 0;
        memcpy(part, p, len);
        part[len] = '\0';
        if (units_bytes(part, &sizes[n], NULL) || sizes[n] == 0 ||
            sizes[n] > PREDICTOR_BYTES_MAX || (n && sizes[n] < sizes[n - 1]))
            return 0;
        n++;
        if (!p[len])
            return n;
        p += len + 1;
    }
    return 0;
}

enum err predictor_parse(const char *text, struct predictor_spec *spec,
                         struct why *why)
{
    static const char fixed[] = "fixed:", adaptive[] = "adaptive:";
    uint64_t s[3];
    if (!strncmp(text, fixed, sizeof fixed - 1)) {
        if (parse_sizes(text + sizeof fixed - 1, s) != 1)
            return refuse(text, why);
        spec->adaptive = false;
        spec->min = spec->initial = spec->max = (uint32_t)s[0];
        return ERR_OK;
    }
    if (strncmp(text, adaptive, sizeof adaptive - 1))
        return refuse(text, why);
    size_t n = parse_sizes(text + sizeof adaptive - 1, s);
    if (n < 2)
        return refuse(text, why);
    spec->adaptive = true;
    spec->min = (uint32_t)s[0];
    spec->initial = (uint32_t)s[n == 3 ? 1 : 0];
    spec->max = (uint32_t)s[n - 1];
    return ERR_OK;
}

const char *predictor_show(const struct predictor_spec *spec, char *buf,
                           size_t size)
{
    char min[24], initial[24], max[24];
    (void)units_show_bytes(min, sizeof min, spec->min);
    (void)units_show_bytes(initial, sizeof initial, spec->initial);
    (void)units_show_bytes(max, sizeof max, spec->max);
    if (!spec->adaptive)
        (void)snprintf(buf, size, "fixed:%s", max);
    else if (spec->initial == spec->min)
        (void)snprintf(buf, size, "adaptive:%s-%s", min, max);
    else
        (void)snprintf(buf, size, "adaptive:%s-%s-%s", min, initial, max);
    return buf;
}

void predictor_init(struct predictor *p, const struct predictor_spec *spec)
{
    *p = (struct predictor){.spec = spec, .next = spec->max};
    if (!spec->adaptive)
        return;
    p->index_min = index_of(spec->min);
    p->index_max = index_of(spec->max);
    if (p->index_max > 0 && size_at(p->index_max) > spec->max)
        p->index_max--;
    p->index = index_of(spec->initial);
    p->next = size_at(p->index);
}

static void move_to(struct predictor *p, int index)
{
    p->index = index;
    p->next = size_at(index);
    p->decrease_now = false;
}

static void record(struct predictor *p, uint64_t n)
{
    int below = p->index - STEPS_DOWN;
    if (p->spec->rules == PREDICTOR_4_1_7)
        below--;
    if (n <= size_at(below > 0 ? below : 0)) {
        int down = p->index - STEPS_DOWN;
        if (p->decrease_now)
            move_to(p, down > p->index_min ? down : p->index_min);
        else
            p->decrease_now = true;
    } else if (n >= p->next) {
        int up = p->index + STEPS_UP;
        move_to(p, up < p->index_max ? up : p->index_max);
    }
}

void predictor_begin(struct predictor *p)
{
    p->reads = 0;
    p->total = 0;
}

uint32_t predictor_guess(struct predictor *p)
{
    p->attempted = p->next;
    return p->next;
}

void predictor_told(struct predictor *p, uint32_t n)
{
    if (p->spec->adaptive && p->spec->rules == PREDICTOR_4_1_48 &&
        n == p->attempted)
        record(p, n);
    p->last = n;
    p->total += n;
    p->reads += n > 0;
}

bool predictor_more(const struct predictor *p)
{
    return p->last == p->attempted && p->reads < p->spec->reads_per_wakeup &&
           p->total > 0;
}

void predictor_end(struct predictor *p)
{
    if (p->spec->adaptive)
        record(p, p->total);
}
