#include "common/shape.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/units.h"

#define BURST_BYTES    32768u /* of a rate where none is given */
#define FRAME_BYTES    14u    /* of Ethernet, around an MTU */
#define MTU_MIN        576u   /* RFC 791: what IPv4 must carry */
#define MTU_MAX        65535u /* of a veth */
#define RATE_MIN_BIT   8000u
#define RATE_MAX_BIT   17000000000u     /* libnl keeps bytes/s in an int */
#define LATENCY_NS     (10 * NS_PER_MS) /* of a rate where none is given */
#define LATENCY_MAX_NS (60 * NS_PER_S)
#define BURST_MAX_S    60u /* tbf counts it in 64 ns of the rate, 32 bits */

typedef unsigned long long ull;

static uint32_t mtu_of(const struct trial_spec *spec)
{
    return spec->link_mtu ? spec->link_mtu : SHAPE_MTU_DEFAULT;
}

uint64_t shape_burst_bytes(const struct trial_spec *spec)
{
    uint64_t frame = (uint64_t)mtu_of(spec) + FRAME_BYTES;
    if (!spec->link_rate_bit || spec->link_burst_bytes)
        return spec->link_burst_bytes;
    return frame > BURST_BYTES ? frame : BURST_BYTES;
}

static uint64_t latency_of(const struct trial_spec *spec)
{
    return spec->link_latency_ns ? spec->link_latency_ns : LATENCY_NS;
}

uint64_t shape_queue_bytes(const struct trial_spec *spec)
{
    double of_latency =
        (double)(spec->link_rate_bit / 8) * (double)latency_of(spec) / 1e9;
    return spec->link_rate_bit ? (uint64_t)of_latency + shape_burst_bytes(spec)
                               : 0;
}

static enum err check_burst(const struct trial_spec *spec, struct why *why)
{
    uint64_t burst = shape_burst_bytes(spec);
    uint64_t frame = (uint64_t)mtu_of(spec) + FRAME_BYTES;
    if (burst < frame)
        return err_set(why, ERR_INVALID,
                       "burst=%llu is less than one frame, %llu bytes of mtu "
                       "%u and %u of Ethernet: nothing would pass",
                       (ull)burst, (ull)frame, mtu_of(spec), FRAME_BYTES);
    if (burst > INT32_MAX / 2 || burst > spec->link_rate_bit / 8 * BURST_MAX_S)
        return err_set(why, ERR_INVALID,
                       "burst=%llu; accepted: at most 1g, and %u s of the rate",
                       (ull)burst, BURST_MAX_S);
    return ERR_OK;
}

static enum err check_rate(const struct trial_spec *spec, struct why *why)
{
    uint64_t rate = spec->link_rate_bit;
    if (!rate && (spec->link_burst_bytes || spec->link_latency_ns))
        return err_set(why, ERR_INVALID,
                       "burst and latency belong to a rate; add rate=");
    if (!rate)
        return ERR_OK;
    if (rate < RATE_MIN_BIT || rate > RATE_MAX_BIT || rate % 8)
        return err_set(why, ERR_INVALID,
                       "rate=%llubit; accepted: 8kbit to 17gbit in whole bytes "
                       "per second",
                       (ull)rate);
    enum err e = check_burst(spec, why);
    if (!e && shape_queue_bytes(spec) > INT32_MAX)
        e = err_set(why, ERR_INVALID,
                    "latency: %llu ms of this rate are %llu bytes in the "
                    "queue; accepted: less than 2 GiB",
                    (ull)(latency_of(spec) / NS_PER_MS),
                    (ull)shape_queue_bytes(spec));
    return e;
}

enum err shape_check(const struct trial_spec *spec, struct why *why)
{
    char text[24];
    uint64_t delay_ns = spec->link_delay_ns;
    if (spec->link_mtu &&
        (spec->link_mtu < MTU_MIN || spec->link_mtu > MTU_MAX))
        return err_set(why, ERR_INVALID, "mtu=%u; accepted: %u to %u",
                       spec->link_mtu, MTU_MIN, MTU_MAX);
    if (spec->link_latency_ns > LATENCY_MAX_NS)
        return err_set(
            why, ERR_INVALID, "latency=%s; accepted: up to 60s",
            units_show_ns(text, sizeof text, (double)spec->link_latency_ns));
    if (delay_ns > LATENCY_MAX_NS || delay_ns % 1000u)
        return err_set(why, ERR_INVALID,
                       "delay=%s; accepted: up to 60s in whole microseconds",
                       units_show_ns(text, sizeof text, (double)delay_ns));
    return check_rate(spec, why);
}
