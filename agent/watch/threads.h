/* The threads of the watched processes: how long each was on a CPU, and how
 * long it waited for one (/proc/PID/task/TID/schedstat). A process has many
 * CPUs' worth of threads; what limits it is often a single one. */
#ifndef PITWALL_AGENT_WATCH_THREADS_H
#define PITWALL_AGENT_WATCH_THREADS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREADS_MAX 256 /* kept open; those beyond are counted, not watched */

struct threads {
    uint64_t beyond; /* most that found no place at a time */
    size_t n;
    struct threads_one {
        uint64_t pid, tid;
        int fd; /* of its schedstat: ESRCH once it is gone */
        uint64_t run_ns, wait_ns;
    } of[THREADS_MAX];
};

/* One process since the look before. */
struct threads_sum {
    uint64_t wait_ns;             /* all its threads waited for a CPU */
    uint64_t top_ns, top_wait_ns; /* the thread that had one for longest ... */
    char top[17];                 /* ... and its name; "" without */
};

/* Start empty; fini closes all. */
void threads_init(struct threads *threads);
void threads_fini(struct threads *threads);

/* Look at the threads of pid, which has n_threads by its stat; tasks is its
 * folder /proc/PID/task, read again only when their number differs. A thread
 * found now counts from its own start, or (base) from now on. */
void threads_look(struct threads *threads, uint64_t pid, DIR *tasks,
                  uint64_t n_threads, bool base, struct threads_sum *out);

/* Forget those of a process that is gone. */
void threads_forget(struct threads *threads, uint64_t pid);

/* Pure part: "run_ns wait_ns slices". False: another shape. */
bool threads_parse(const char *text, size_t len, uint64_t *run_ns,
                   uint64_t *wait_ns);

#endif
