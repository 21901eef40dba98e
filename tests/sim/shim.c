#include "tests/sim/shim.h"

#include <assert.h>
#include <string.h>

#include "tests/sim/disk.h"

/* The one thing that is global: the calls of the system have no other way to
 * know on whose machine they are made. */
static struct disk *disk;

void disk_use(struct disk *d)
{
    disk = d;
}

struct shim_dir {
    int fd; /* first: dirfd() */
    unsigned at, n;
    struct disk_entry *entries; /* [n] as they were when it was opened */
    struct dirent entry;
};

/* Memory of all calls, so that a program that dies leaves none. */
struct block {
    struct block *next, *last;
    uint64_t align[2];
};

static struct block blocks = {&blocks, &blocks, {0}};

void *shim_malloc(size_t size)
{
    struct block *b = malloc(sizeof *b + size);
    assert(b);
    *b = (struct block){.next = &blocks, .last = blocks.last};
    blocks.last->next = b;
    blocks.last = b;
    return b + 1;
}

void shim_free(void *p)
{
    if (!p)
        return;
    struct block *b = (struct block *)p - 1;
    b->last->next = b->next;
    b->next->last = b->last;
    free(b);
}

void shim_forget(void)
{
    while (blocks.next != &blocks)
        shim_free(blocks.next + 1);
}

static int failed(int code)
{
    errno = code;
    return -1;
}

static struct disk_fd *fd_of(int fd)
{
    assert(fd >= DISK_FD0 && fd < DISK_FD0 + DISK_FDS);
    struct disk_fd *f = &disk->fds[fd - DISK_FD0];
    assert(f->open);
    return f;
}

static struct disk_node *node_of(int fd)
{
    return &disk->nodes[fd_of(fd)->node];
}

static void *copied(const void *from, size_t size)
{
    void *to = malloc(size + 1);
    assert(to);
    if (size)
        memcpy(to, from, size);
    return to;
}

/* A folder's entries anew, with room for one more: the old list stays as what
 * the disk may have. */
static struct disk_list *next_list(int folder)
{
    struct disk_node *n = &disk->nodes[folder];
    struct disk_list *old = &n->lists[n->n_lists - 1], made = {.n = old->n};
    size_t size = old->n * sizeof *old->entries;
    made.entries = malloc(size + sizeof *old->entries);
    assert(made.entries);
    if (size)
        memcpy(made.entries, old->entries, size);
    n->lists = realloc(n->lists, (n->n_lists + 1) * sizeof *n->lists);
    assert(n->lists);
    n->lists[n->n_lists] = made;
    return &n->lists[n->n_lists++];
}

static void leave(struct disk_list *l, const char *name)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < l->n; i++)
        if (strcmp(l->entries[i].name, name) != 0)
            l->entries[kept++] = l->entries[i];
    l->n = kept;
}

static void enter(struct disk_list *l, const char *name, int node)
{
    leave(l, name);
    (void)snprintf(l->entries[l->n].name, sizeof l->entries[l->n].name, "%s",
                   name);
    l->entries[l->n++].node = node;
}

static int make_node(int folder, const char *name, bool is_folder)
{
    disk_step(disk);
    int made = disk->n_nodes++;
    disk->nodes =
        realloc(disk->nodes, (size_t)disk->n_nodes * sizeof *disk->nodes);
    assert(disk->nodes);
    disk->nodes[made] = (struct disk_node){.folder = is_folder};
    if (is_folder) {
        disk->nodes[made].lists = calloc(1, sizeof(struct disk_list));
        disk->nodes[made].n_lists = 1;
    }
    enter(next_list(folder), name, made);
    return made;
}

static int open_fd(int node, int flags)
{
    for (int i = 0; i < DISK_FDS; i++)
        if (!disk->fds[i].open) {
            disk->fds[i] = (struct disk_fd){
                .open = true, .node = node, .append = flags & O_APPEND};
            return DISK_FD0 + i;
        }
    return failed(EMFILE);
}

int shim_openat(int dir, const char *name, int flags, ...)
{
    int folder = fd_of(dir)->node;
    int node = disk_find(disk, folder, name);
    if (node >= 0 && (flags & O_CREAT) && (flags & O_EXCL))
        return failed(EEXIST);
    if (node < 0 && !(flags & O_CREAT))
        return failed(ENOENT);
    if (node < 0)
        node = make_node(folder, name, false);
    if ((flags & O_DIRECTORY) && !disk->nodes[node].folder)
        return failed(ENOTDIR);
    if (flags & O_TRUNC) {
        disk_step(disk);
        disk->nodes[node].len = 0;
    }
    return open_fd(node, flags);
}

int shim_mkdirat(int dir, const char *name, mode_t mode)
{
    (void)mode;
    if (disk_find(disk, fd_of(dir)->node, name) >= 0)
        return failed(EEXIST);
    (void)make_node(fd_of(dir)->node, name, true);
    return 0;
}

int shim_close(int fd)
{
    fd_of(fd)->open = false;
    return 0;
}

int shim_fsync(int fd)
{
    struct disk_node *n = node_of(fd);
    disk_step(disk);
    if (disk->lies)
        return 0;
    if (n->folder) {
        for (unsigned k = 0; k + 1 < n->n_lists; k++)
            free(n->lists[k].entries);
        n->lists[0] = n->lists[n->n_lists - 1];
        n->n_lists = 1;
        return 0;
    }
    free(n->kept);
    n->kept = copied(n->data, n->len);
    n->kept_len = n->len;
    return 0;
}

int shim_renameat(int from, const char *old, int to, const char *new)
{
    int folder = fd_of(from)->node, node = disk_find(disk, folder, old);
    assert(folder == fd_of(to)->node);
    if (node < 0)
        return failed(ENOENT);
    disk_step(disk);
    struct disk_list *l = next_list(folder);
    leave(l, old);
    enter(l, new, node);
    return 0;
}

int shim_linkat(int from, const char *old, int to, const char *new, int flags)
{
    int folder = fd_of(from)->node, node = disk_find(disk, folder, old);
    (void)flags;
    assert(folder == fd_of(to)->node);
    if (node < 0)
        return failed(ENOENT);
    disk_step(disk);
    enter(next_list(folder), new, node);
    return 0;
}

int shim_unlinkat(int dir, const char *name, int flags)
{
    int folder = fd_of(dir)->node, node = disk_find(disk, folder, name);
    if (node < 0)
        return failed(ENOENT);
    const struct disk_node *n = &disk->nodes[node];
    if (n->folder != (flags == AT_REMOVEDIR))
        return failed(n->folder ? EISDIR : ENOTDIR);
    if (n->folder && n->lists[n->n_lists - 1].n)
        return failed(ENOTEMPTY);
    disk_step(disk);
    leave(next_list(folder), name);
    return 0;
}

ssize_t shim_pread(int fd, void *to, size_t len, off_t at)
{
    const struct disk_node *n = node_of(fd);
    size_t from = (size_t)at;
    if (from >= n->len)
        return 0;
    len = len < n->len - from ? len : n->len - from;
    memcpy(to, n->data + from, len);
    return (ssize_t)len;
}

ssize_t shim_read(int fd, void *to, size_t len)
{
    ssize_t n = shim_pread(fd, to, len, (off_t)fd_of(fd)->at);
    fd_of(fd)->at += (size_t)n;
    return n;
}

static void put(struct disk_node *n, const void *from, size_t len, size_t at)
{
    if (at + len > n->size) {
        n->size = 2 * (at + len);
        n->data = realloc(n->data, n->size);
        assert(n->data);
    }
    if (at > n->len)
        memset(n->data + n->len, 0, at - n->len);
    memcpy(n->data + at, from, len);
    n->len = n->len > at + len ? n->len : at + len;
}

ssize_t shim_write(int fd, const void *from, size_t len)
{
    struct disk_fd *f = fd_of(fd);
    disk_step(disk);
    put(node_of(fd), from, len, f->append ? node_of(fd)->len : f->at);
    f->at = f->append ? node_of(fd)->len : f->at + len;
    return (ssize_t)len;
}

ssize_t shim_pwritev(int fd, const struct iovec *iov, int n, off_t at)
{
    size_t done = 0;
    disk_step(disk);
    for (int i = 0; i < n; i++) {
        put(node_of(fd), iov[i].iov_base, iov[i].iov_len, (size_t)at + done);
        done += iov[i].iov_len;
    }
    return (ssize_t)done;
}

int shim_ftruncate(int fd, off_t len)
{
    struct disk_node *n = node_of(fd);
    if (n->len == (size_t)len)
        return 0;
    disk_step(disk);
    if (n->len < (size_t)len)
        put(n, "", 0, (size_t)len);
    n->len = (size_t)len;
    return 0;
}

int shim_fstat(int fd, struct stat *st)
{
    *st = (struct stat){.st_size = (off_t)node_of(fd)->len};
    return 0;
}

int shim_fstatat(int dir, const char *name, struct stat *st, int flags)
{
    (void)flags;
    *st = (struct stat){.st_mtime = (time_t)(shim_mono_ns() / NS_PER_S)};
    return disk_find(disk, fd_of(dir)->node, name) < 0 ? failed(ENOENT) : 0;
}

int shim_fstatvfs(int fd, struct statvfs *st)
{
    (void)fd_of(fd);
    *st = (struct statvfs){.f_frsize = 4096,
                           .f_bavail = disk->full ? 0 : 1u << 20};
    return 0;
}

struct shim_dir *shim_fdopendir(int fd)
{
    const struct disk_node *node = node_of(fd);
    const struct disk_list *l = &node->lists[node->n_lists - 1];
    struct shim_dir *dir = shim_malloc(sizeof *dir);
    *dir = (struct shim_dir){.fd = fd, .n = l->n};
    dir->entries = shim_malloc(l->n * sizeof *dir->entries);
    if (l->n)
        memcpy(dir->entries, l->entries, l->n * sizeof *dir->entries);
    return dir;
}

struct dirent *shim_readdir(struct shim_dir *dir)
{
    if (dir->at >= dir->n)
        return NULL;
    (void)snprintf(dir->entry.d_name, sizeof dir->entry.d_name, "%s",
                   dir->entries[dir->at++].name);
    return &dir->entry;
}

int shim_closedir(struct shim_dir *dir)
{
    int fd = dir->fd;
    shim_free(dir->entries);
    shim_free(dir);
    return shim_close(fd);
}
