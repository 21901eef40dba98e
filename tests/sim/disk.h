/* A disk in memory that loses what was not synced: of a file's bytes any
 * prefix of the newer ones may have reached it, of a folder's entries any
 * prefix of what was done to them in turn. shim.h gives its calls to the
 * agent's own sources under the names of the system's. */
#ifndef PITWALL_TESTS_SIM_DISK_H
#define PITWALL_TESTS_SIM_DISK_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

#include "common/rand.h"

#define DISK_FDS  64
#define DISK_FD0  1000 /* its descriptors are none of the system's */
#define DISK_ROOT 0

struct disk_entry {
    char name[72];
    int node;
};

/* A folder at one moment. */
struct disk_list {
    unsigned n;
    struct disk_entry *entries; /* [n] */
};

struct disk_node {
    bool folder;
    uint8_t *data, *kept; /* kept: what is surely on the disk */
    size_t len, size, kept_len;
    struct disk_list
        *lists; /* [n_lists] since the last fsync, that one first */
    unsigned n_lists;
};

struct disk_fd {
    bool open, append;
    int node;
    size_t at;
};

struct disk {
    struct disk_node *nodes; /* [n_nodes] */
    int n_nodes;
    struct disk_fd fds[DISK_FDS];
    bool full;
    bool lies;       /* fsync does nothing: a mutation */
    unsigned die_in; /* steps until the program dies; 0: it does not */
    jmp_buf *die;    /* where to */
    uint64_t steps, now_ns;
};

/* An empty root folder. Owns: disk_fini. */
void disk_init(struct disk *d);
void disk_fini(struct disk *d);

/* The program is gone, its descriptors with it; or the power. */
void disk_close_all(struct disk *d);
void disk_lose_power(struct disk *d, struct rand *chance);

/* One effect is about to happen: the program may die here. */
void disk_step(struct disk *d);

/* The node of a path below node at; -1: none. */
int disk_find(const struct disk *d, int at, const char *path);

/* The disk that the calls of shim.h work on; all memory that they gave is given
 * back. Both stand in shim.c. */
void disk_use(struct disk *d);
void shim_forget(void);

#endif
