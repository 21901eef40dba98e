#include "tests/sim/disk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *old, size_t size)
{
    void *p = realloc(old, size);
    assert(p);
    return p;
}

void disk_init(struct disk *d)
{
    *d = (struct disk){.n_nodes = 1};
    d->nodes = grown(NULL, sizeof *d->nodes);
    d->nodes[DISK_ROOT] = (struct disk_node){.folder = true, .n_lists = 1};
    d->nodes[DISK_ROOT].lists = grown(NULL, sizeof(struct disk_list));
    d->nodes[DISK_ROOT].lists[0] = (struct disk_list){0};
}

void disk_fini(struct disk *d)
{
    for (int i = 0; i < d->n_nodes; i++) {
        struct disk_node *n = &d->nodes[i];
        for (unsigned k = 0; k < n->n_lists; k++)
            free(n->lists[k].entries);
        free(n->lists);
        free(n->data);
        free(n->kept);
    }
    free(d->nodes);
    *d = (struct disk){0};
}

void disk_step(struct disk *d)
{
    d->steps++;
    if (d->die_in && --d->die_in == 0)
        longjmp(*d->die, 1);
}

void disk_close_all(struct disk *d)
{
    memset(d->fds, 0, sizeof d->fds);
}

/* Of what was done to a file since its last fsync, some. */
static void lose_bytes(struct disk_node *n, struct rand *chance)
{
    size_t least = n->len < n->kept_len ? n->len : n->kept_len;
    bool same =
        n->len == n->kept_len && (!n->len || !memcmp(n->data, n->kept, n->len));
    uint64_t fate = same ? 1 : rand_bounded(chance, 3);
    if (fate == 0) {
        n->data = grown(n->data, n->kept_len + 1);
        if (n->kept_len)
            memcpy(n->data, n->kept, n->kept_len);
        n->len = n->size = n->kept_len;
    } else if (fate == 2) {
        n->len = least + rand_bounded(chance, n->len - least + 1);
    }
    n->kept = grown(n->kept, n->len + 1);
    if (n->len)
        memcpy(n->kept, n->data, n->len);
    n->kept_len = n->len;
}

/* Only this one of a folder's lists remains. */
static void keep_list(struct disk_node *n, unsigned which)
{
    for (unsigned k = 0; k < n->n_lists; k++)
        if (k != which)
            free(n->lists[k].entries);
    n->lists[0] = n->lists[which];
    n->n_lists = 1;
}

void disk_lose_power(struct disk *d, struct rand *chance)
{
    for (int i = 0; i < d->n_nodes; i++) {
        struct disk_node *n = &d->nodes[i];
        if (n->folder)
            keep_list(n, (unsigned)rand_bounded(chance, n->n_lists));
        else
            lose_bytes(n, chance);
    }
    disk_close_all(d);
}

static int find_one(const struct disk *d, int at, const char *name, size_t len)
{
    const struct disk_node *n = &d->nodes[at];
    if (!n->folder)
        return -1;
    if (len == 1 && name[0] == '.')
        return at;
    const struct disk_list *l = &n->lists[n->n_lists - 1];
    for (unsigned i = 0; i < l->n; i++)
        if (strlen(l->entries[i].name) == len &&
            !memcmp(l->entries[i].name, name, len))
            return l->entries[i].node;
    return -1;
}

int disk_find(const struct disk *d, int at, const char *path)
{
    while (at >= 0 && *path) {
        size_t len = strcspn(path, "/");
        at = find_one(d, at, path, len);
        path += len + (path[len] == '/');
    }
    return at;
}
