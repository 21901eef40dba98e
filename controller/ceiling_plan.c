#include "controller/ceiling_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "controller/estimate.h"
#include "controller/factor.h"
#include "tracks/plan.h"

#define WARMUP_NS        (500 * NS_PER_MS)
#define MEASURE_NS       (2 * NS_PER_S)
#define BRIEF_WARMUP_NS  (200 * NS_PER_MS)
#define BRIEF_MEASURE_NS (500 * NS_PER_MS)
/* An answer's length: of a bulk's item as Elasticsearch and pitwall-target
 * write it, and what stands around; of other requests a typical one. */
#define ITEM_BYTES   165u
#define AROUND_BYTES 40u
#define OTHER_BYTES  1024u
#define MOST_BYTES   (16u << 20) /* that pitwall-target answers */

/* Whether two cells load alike, over links alike. */
static bool is_same(const struct trials *t, uint32_t a, uint32_t b,
                    struct setup setups[2])
{
    trials_setup(t, a, &setups[0]);
    trials_setup(t, b, &setups[1]);
    const struct trial_spec *x = &setups[0].spec, *y = &setups[1].spec;
    return t->plan_of[a] == t->plan_of[b] &&
           !strcmp(x->load_params, y->load_params) &&
           !strcmp(x->congestion, y->congestion) && !strcmp(x->pin, y->pin) &&
           !strcmp(x->link_kind, y->link_kind) && x->link_mtu == y->link_mtu &&
           x->link_rate_bit == y->link_rate_bit &&
           x->link_burst_bytes == y->link_burst_bytes &&
           x->link_latency_ns == y->link_latency_ns &&
           x->link_delay_ns == y->link_delay_ns &&
           !strcmp(x->link_offloads, y->link_offloads) &&
           !strcmp(x->nic, y->nic);
}

/* Whether a factor shapes what a link carries (its kind, its interfaces, what
 * the load sends by), or the load. What the target's kernel has is left out: a
 * calibration does without. */
static bool shapes(const struct axis *axis, bool link)
{
    const struct factor *factor = NULL;
    const char *param = "";
    if (factor_find(axis->name, &factor, &param, NULL))
        return false;
    return link ? factor->kind == FACTOR_LINK ||
                      !strcmp(axis->name, "congestion")
                : factor->kind == FACTOR_LOAD || factor->kind == FACTOR_TRACK;
}

/* The levels of the factors that shape it: of link itself its level alone. */
static void name_it(const struct trials *t, uint32_t cell, bool link, char *buf,
                    size_t size, const char *none)
{
    char rest[CEILING_LOAD_MAX + 1] = "";
    size_t used = 0;
    (void)snprintf(buf, size, "%s", none);
    for (size_t a = 0; a < t->ex->n_axes && used < sizeof rest; a++) {
        const struct axis *axis = &t->ex->axes[a];
        const char *label = axis->levels[trials_level(t, cell, a)].label;
        if (link && !strcmp(axis->name, "link"))
            (void)snprintf(buf, size, "%s", label);
        else if (shapes(axis, link))
            used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%s=%s",
                                     used ? "," : "", axis->name, label);
    }
    size_t head = strlen(buf);
    if (*rest && link)
        (void)snprintf(buf + head, size - head, ",%s", rest);
    else if (*rest)
        (void)snprintf(buf, size, "%s", rest);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The measured step alone: what is done once is no load, and a target that only
 * answers would fail it. */
static enum err cut_plan(const char *json, char **out, uint64_t *answer_bytes,
                         struct why *why)
{
    static const char *const kept[] = {"version", "track", "challenge",
                                       "corpora"};
    struct jv *whole = NULL;
    struct plan *plan = NULL;
    enum err e = plan_parse(&plan, json, strlen(json), why);
    if (!e)
        e = jv_parse(&whole, "plan", json, strlen(json), why);
    if (!e) {
        const struct plan_step *step = &plan->steps[plan->measured];
        struct jv *cut = jv_new(JV_OBJECT);
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (jv_get(whole, kept[i]))
                jv_add_copy(cut, kept[i], jv_get(whole, kept[i]));
        jv_add_copy(jv_add(cut, "steps", JV_ARRAY), NULL,
                    jv_at(jv_get(whole, "steps"), plan->measured));
        jv_add_u64(cut, "measured", 0);
        *out = jv_print(cut, false);
        jv_free(cut);
        *answer_bytes = OTHER_BYTES;
        for (size_t i = 0; i < step->n_tasks; i++)
            if (step->tasks[i].kind == PLAN_BULK)
                *answer_bytes = AROUND_BYTES +
                                (uint64_t)ITEM_BYTES * step->tasks[i].bulk_docs;
    }
    *answer_bytes = least(*answer_bytes, MOST_BYTES);
    jv_free(whole);
    plan_free(plan);
    return e;
}

static enum err add_plan(struct ceiling_plans *out, const struct trials *t,
                         uint32_t cell, struct why *why)
{
    struct ceiling_plan *p = &out->items[out->n];
    p->number = out->n++;
    p->cells = calloc(t->n_cells, sizeof *p->cells);
    if (!p->cells)
        return err_set(why, ERR_NOMEM, "calibrations");
    name_it(t, cell, true, p->link, sizeof p->link, "loopback");
    name_it(t, cell, false, p->load, sizeof p->load, "its only load");
    p->capacity = true;
    for (uint32_t i = 0; i + 1 < out->n; i++)
        p->capacity &= strcmp(out->items[i].link, p->link) != 0;
    return cut_plan(trials_plan(t, cell), &p->json, &p->answer_bytes, why);
}

enum err ceiling_plans_make(struct ceiling_plans *out, const struct trials *t,
                            bool brief, struct why *why)
{
    struct setup *setups = calloc(2, sizeof *setups);
    *out = (struct ceiling_plans){
        .items = calloc(t->n_cells, sizeof *out->items),
        /* warmed up also where the experiment is not */
        .times = {.warmup_ns = brief ? BRIEF_WARMUP_NS : WARMUP_NS,
                  .measure_ns = least(t->ex->measure_ns,
                                      brief ? BRIEF_MEASURE_NS : MEASURE_NS)}};
    enum err e =
        setups && out->items ? ERR_OK : err_set(why, ERR_NOMEM, "calibrations");
    for (uint32_t c = 0; !e && c < t->n_cells; c++) {
        uint32_t i = 0;
        while (i < out->n && !is_same(t, out->items[i].cells[0], c, setups))
            i++;
        if (i == out->n)
            e = add_plan(out, t, c, why);
        if (!e)
            out->items[i].cells[out->items[i].n_cells++] = c;
    }
    free(setups);
    if (e)
        ceiling_plans_fini(out);
    return e;
}

void ceiling_plans_fini(struct ceiling_plans *plans)
{
    for (uint32_t i = 0; plans->items && i < plans->n; i++) {
        free(plans->items[i].cells);
        free(plans->items[i].json);
    }
    free(plans->items);
    *plans = (struct ceiling_plans){.n = 0};
}

/* The load's and the link's settings are the cell's; the target's and its
 * kernel's are none, so that nothing but driver and link is a limit. */
void ceiling_plan_setup(const struct ceiling_plan *p, const struct trials *t,
                        struct setup *setup)
{
    struct setup *plain = malloc(sizeof *plain);
    trials_setup(t, p->cells[0], setup);
    struct trial_spec *spec = &setup->spec;
    if (plain) {
        factor_defaults(plain);
        spec->heap_bytes = plain->spec.heap_bytes;
        memcpy(spec->predictor, plain->spec.predictor, sizeof spec->predictor);
    }
    free(plain);
    spec->rmem_min = spec->rmem_default = spec->rmem_max = 0;
    spec->sysctls[0] = '\0';
    (void)snprintf(spec->target, sizeof spec->target, "pitwall");
    (void)snprintf(spec->target_params, sizeof spec->target_params,
                   "mode=static\nstatic_bytes=%llu\n",
                   (unsigned long long)p->answer_bytes);
    size_t used = strlen(spec->telemetry);
    if (p->capacity)
        (void)snprintf(spec->telemetry + used, sizeof spec->telemetry - used,
                       "%scapacity", used ? "," : "");
    (void)snprintf(spec->cell, sizeof spec->cell, "ceiling:link=%.180s",
                   p->link);
}

uint64_t ceiling_plans_ns(const struct ceiling_plans *plans)
{
    struct estimate estimate;
    estimate_init(&estimate, plans->times.warmup_ns, plans->times.measure_ns);
    return estimate_left_ns(&estimate, plans->n, 0, 0);
}
