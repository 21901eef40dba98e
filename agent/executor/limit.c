#include "agent/executor/limit.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "common/json_place.h"
#include "common/units.h"

#define MEMORY_MIN_BYTES 65536u
#define CPUS_MIN_MILLI   10u /* a quota of 1 ms in 100 ms, the kernel's least */
#define CPUS_MAX_MILLI   4096000u
#define PIDS_MAX         4194304u /* the kernel's own PID_MAX_LIMIT */

static enum err bad(const struct jv *v, const char *accepted, struct why *why)
{
    char where[300];
    return err_set(why, ERR_INVALID, "%s: accepted is %s",
                   jv_where(v, where, sizeof where), accepted);
}

/* The kernel counts pages: what is written is what reads back. */
static uint64_t whole_pages(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return bytes / page * page;
}

static enum err read_memory(struct limits *out, const struct jv *v,
                            struct why *why)
{
    const char *text = jv_text(v, NULL);
    uint64_t bytes = 0;
    if (!v)
        return ERR_OK;
    if (!text || units_bytes(text, &bytes, NULL) || bytes < MEMORY_MIN_BYTES ||
        bytes > INT64_MAX / 2)
        return bad(v, "a size such as \"512m\", at least 64k", why);
    out->memory_bytes = whole_pages(bytes);
    return ERR_OK;
}

static enum err read_cpus(struct limits *out, const struct jv *v,
                          struct why *why)
{
    double milli = jv_number(v, NAN) * 1000;
    if (!v)
        return ERR_OK;
    if (!(milli >= CPUS_MIN_MILLI) || milli > CPUS_MAX_MILLI)
        return bad(v, "a number of processors from 0.01, such as 1.5", why);
    out->cpus_milli = (uint32_t)lround(milli);
    return ERR_OK;
}

static enum err read_pids(struct limits *out, const struct jv *v,
                          struct why *why)
{
    double pids = jv_number(v, NAN);
    if (!v)
        return ERR_OK;
    if (!(pids >= 1) || pids > PIDS_MAX || pids != floor(pids))
        return bad(v, "a whole number of processes and threads from 1", why);
    out->pids = (uint32_t)pids;
    return ERR_OK;
}

enum err limit_read(struct limits *out, const struct jv *object,
                    struct why *why)
{
    static const char *const keys[] = {"memory", "cpus", "pids", NULL};
    if (!object)
        return ERR_OK;
    if (jv_type(object) != JV_OBJECT)
        return bad(object, "an object of memory, cpus and pids", why);
    enum err e = jv_only(object, keys, why);
    if (!e)
        e = read_memory(out, jv_get(object, "memory"), why);
    if (!e)
        e = read_cpus(out, jv_get(object, "cpus"), why);
    return e ? e : read_pids(out, jv_get(object, "pids"), why);
}

enum err limit_wish(struct limits *out, const struct limits *wish,
                    struct why *why)
{
    char has[32], wants[32];
    uint64_t memory = whole_pages(wish->memory_bytes);
    if (wish->memory_bytes && memory < MEMORY_MIN_BYTES)
        return err_set(why, ERR_RANGE,
                       "limit.memory: %llu bytes; accepted: at least 64k",
                       (unsigned long long)wish->memory_bytes);
    if (wish->cpus_milli && wish->cpus_milli < CPUS_MIN_MILLI)
        return err_set(why, ERR_RANGE, "limit.cpus: accepted: at least 0.01");
    if (out->memory_bytes && memory > out->memory_bytes)
        return err_set(why, ERR_PERMISSION,
                       "limit.memory: %s; the agent's configuration gives the "
                       "target %s",
                       units_show_bytes(wants, sizeof wants, memory),
                       units_show_bytes(has, sizeof has, out->memory_bytes));
    if (out->cpus_milli && wish->cpus_milli > out->cpus_milli)
        return err_set(why, ERR_PERMISSION,
                       "limit.cpus: %.3g; the agent's configuration gives the "
                       "target %.3g",
                       wish->cpus_milli / 1e3, out->cpus_milli / 1e3);
    if (out->pids && wish->pids > out->pids)
        return err_set(why, ERR_PERMISSION,
                       "limit.pids: %u; the agent's configuration gives the "
                       "target %u",
                       wish->pids, out->pids);
    out->memory_bytes = memory ? memory : out->memory_bytes;
    out->cpus_milli = wish->cpus_milli ? wish->cpus_milli : out->cpus_milli;
    out->pids = wish->pids ? wish->pids : out->pids;
    return ERR_OK;
}
