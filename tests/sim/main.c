/* Runs seeds of the simulated lab.
 *
 *   sim [--seed N] [--seeds N] [--mutation NAME] [-v]
 *
 * With a mutation, which is a bug put in on purpose, the first seed that finds
 * it is told, and none is the failure. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "tests/sim/sim.h"

static const char *const mutations[MUTATIONS] = {
    "none",    "lying-disk", "early-ack",    "no-fencing",
    "amnesia", "no-restore", "reused-number"};

static int usage(void)
{
    (void)fprintf(stderr,
                  "usage: sim [--seed N] [--seeds N] [--mutation NAME] [-v]\n"
                  "mutations:");
    for (int i = 0; i < MUTATIONS; i++)
        (void)fprintf(stderr, " %s", mutations[i]);
    (void)fprintf(stderr, "\n");
    return 2;
}

struct wish {
    uint64_t seed, seeds;
    enum mutation mutation;
    bool verbose;
};

static bool parse(int argc, char **argv, struct wish *w)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},
        {"seeds", required_argument, NULL, 'n'},
        {"mutation", required_argument, NULL, 'm'},
        {0}};
    for (int key; (key = getopt_long(argc, argv, "v", options, NULL)) != -1;) {
        int m = 0;
        switch (key) {
        case 's':
        case 'n':
            if (units_u64(optarg, UINT64_MAX - 1,
                          key == 's' ? &w->seed : &w->seeds, NULL))
                return false;
            break;
        case 'm':
            while (m < MUTATIONS && strcmp(mutations[m], optarg) != 0)
                m++;
            if (m == MUTATIONS)
                return false;
            w->mutation = (enum mutation)m;
            break;
        case 'v':
            w->verbose = true;
            break;
        default:
            return false;
        }
    }
    return optind == argc;
}

int main(int argc, char **argv)
{
    struct wish w = {.seed = 1, .seeds = 1};
    uint64_t broken = 0, steps = 0, sittings = 0, deaths = 0;
    struct sim *sim = malloc(sizeof *sim);
    if (!sim || !parse(argc, argv, &w))
        return usage();
    for (uint64_t i = 0; i < w.seeds; i++) {
        bool held = sim_run(sim, w.seed + i, w.mutation, w.verbose);
        steps += sim->steps;
        sittings += sim->clerk.sittings;
        for (unsigned k = 0; k < sim->n_sites; k++)
            deaths += sim->sites[k].generation;
        if (!held)
            (void)printf("seed %llu: %s\n", (unsigned long long)(w.seed + i),
                         sim->judge.text);
        broken += !held;
        sim_fini(sim);
        if (!held && w.mutation)
            break;
    }
    free(sim);
    (void)printf("sim seeds=%llu broken=%llu events=%llu sittings=%llu "
                 "deaths=%llu mutation=%s\n",
                 (unsigned long long)w.seeds, (unsigned long long)broken,
                 (unsigned long long)steps, (unsigned long long)sittings,
                 (unsigned long long)deaths, mutations[w.mutation]);
    return (broken > 0) != (w.mutation != MUTATION_NONE);
}
