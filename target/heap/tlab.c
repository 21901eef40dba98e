#include "target/heap/tlab.h"

#define WORD_BYTES          8u
#define FRACTION_WEIGHT     35u /* TLABAllocationWeight */
#define WASTE_FRACTION      64u /* TLABRefillWasteFraction */
#define WASTE_STEP_BYTES    32u /* TLABWasteIncrement, 4 words */
#define AVERAGE_COUNT_UNTIL 100u
#define MAX_BYTES           (1ull << 30) /* the largest filler array */

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

void average_sample(struct average *avg, unsigned weight, double sample)
{
    avg->n++;
    unsigned w = weight;
    if (avg->n <= AVERAGE_COUNT_UNTIL) {
        unsigned early = (unsigned)(100 / avg->n);
        w = early > weight ? early : weight;
    }
    avg->value = ((100.0 - w) * avg->value + w * sample) / 100.0;
}

/* Word arithmetic: HotSpot's sizes are in words, divisions round down there. */
static void set_desired(struct tlab_policy *policy, double words)
{
    uint64_t bytes = (uint64_t)words * WORD_BYTES;
    uint64_t min = align_up(policy->min_bytes) + TLAB_RESERVE_BYTES;
    if (bytes < min)
        bytes = min;
    policy->desired_bytes = bytes > MAX_BYTES ? MAX_BYTES : bytes;
    policy->waste_limit_bytes =
        policy->desired_bytes / WORD_BYTES / WASTE_FRACTION * WORD_BYTES;
}

void tlab_start(struct tlab_policy *policy, uint64_t eden_bytes,
                double threads_avg, uint64_t min_bytes)
{
    uint64_t threads = (uint64_t)(threads_avg + 0.5);
    uint64_t words = eden_bytes / WORD_BYTES;
    *policy = (struct tlab_policy){.min_bytes = min_bytes};
    set_desired(policy, (double)(words / ((threads ? threads : 1) *
                                          TLAB_REFILLS_TARGET)));
    average_sample(&policy->fraction, FRACTION_WEIGHT,
                   (double)(policy->desired_bytes / WORD_BYTES) *
                       TLAB_REFILLS_TARGET / (double)words);
}

bool tlab_keep(struct tlab_policy *policy, uint64_t free_bytes)
{
    if (free_bytes <= policy->waste_limit_bytes)
        return false;
    policy->waste_limit_bytes += WASTE_STEP_BYTES;
    return true;
}

uint64_t tlab_refill_bytes(const struct tlab_policy *policy,
                           uint64_t object_bytes, uint64_t eden_free_bytes)
{
    uint64_t size = policy->desired_bytes + object_bytes;
    if (size > eden_free_bytes)
        size = eden_free_bytes / WORD_BYTES * WORD_BYTES;
    if (size > MAX_BYTES)
        size = MAX_BYTES;
    uint64_t least = object_bytes + TLAB_RESERVE_BYTES;
    if (least < policy->min_bytes)
        least = align_up(policy->min_bytes);
    return size < least ? 0 : size;
}

void tlab_refilled(struct tlab_policy *policy)
{
    policy->refills++;
    policy->waste_limit_bytes =
        policy->desired_bytes / WORD_BYTES / WASTE_FRACTION * WORD_BYTES;
}

bool tlab_before_gc(struct tlab_policy *policy, uint64_t eden_used_bytes,
                    uint64_t eden_bytes)
{
    uint64_t since = policy->allocated_bytes - policy->allocated_at_gc_bytes;
    bool allocating = policy->refills > 0;
    policy->allocated_at_gc_bytes = policy->allocated_bytes;
    if (allocating && (double)eden_used_bytes > 0.5 * (double)eden_bytes) {
        double fraction = (double)since / (double)eden_used_bytes;
        average_sample(&policy->fraction, FRACTION_WEIGHT,
                       fraction < 1 ? fraction : 1);
    }
    policy->refills = 0;
    return allocating;
}

void tlab_after_gc(struct tlab_policy *policy, uint64_t eden_bytes)
{
    double words = policy->fraction.value * (double)(eden_bytes / WORD_BYTES);
    set_desired(policy, (double)((uint64_t)words / TLAB_REFILLS_TARGET));
}
