/* The heap of the tests: heap.h on malloc, with a budget counted exactly and no
 * collector, so that a test can say how many bytes are live and make any
 * allocation the one that fails.
 *
 * Under `stress` every object whose address a mutator has asked for is moved
 * at that mutator's next allocation, poll or native_enter, and its old place
 * is freed: with the address sanitizer a pointer kept too long is caught. An
 * object that another mutator has looked at since is left alone. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/units.h"
#include "target/heap/heap.h"

#define HEADER_BYTES 16u
#define SLOTS_MAX    (1u << 24) /* 16.8 M live objects */
#define GROUPS_MAX   8u
#define SEEN_MAX     64u

struct slot {
    void *data;                  /* NULL: free */
    size_t bytes;                /* charged: header and rounding included */
    uint32_t next;               /* free list */
    const struct mutator *asker; /* stress: who last asked for the address */
};

struct group {
    const char *name;
    uint64_t alloc_count, alloc_bytes;
    uint64_t oom_count, oom_bytes;
};

struct seen {
    heap_ref refs[SEEN_MAX];
    size_t n;
};

struct mutator {
    struct heap *heap;
    struct group *group;
    struct seen *seen; /* stress only */
    bool native;
};

struct heap {
    pthread_mutex_t lock;
    struct heap_config config;
    struct slot *slots; /* [slots_max], 0 unused */
    uint32_t n_slots;   /* used so far */
    uint32_t slots_max; /* reserved */
    uint32_t slot_free; /* head of the free list, 0: none */
    uint64_t used, used_max;
    struct group groups[GROUPS_MAX];
    size_t n_groups;
    unsigned n_mutators;
};

static enum err check_config(const struct heap_config *c, struct why *why)
{
    char a[24], b[24];
    if (c->heap_bytes < HEAP_BYTES_MIN)
        return err_set(why, ERR_RANGE, "heap %s: at least %s",
                       units_show_bytes(a, sizeof a, c->heap_bytes),
                       units_show_bytes(b, sizeof b, HEAP_BYTES_MIN));
    if (c->young_bytes >= c->heap_bytes)
        return err_set(why, ERR_RANGE, "young %s: less than the heap's %s",
                       units_show_bytes(a, sizeof a, c->young_bytes),
                       units_show_bytes(b, sizeof b, c->heap_bytes));
    return ERR_OK;
}

enum err heap_new(struct heap **out, const struct heap_config *config,
                  struct why *why)
{
    *out = NULL;
    enum err e = check_config(config, why);
    if (e)
        return e;
    struct heap *h = calloc(1, sizeof *h);
    if (!h)
        return err_set(why, ERR_NOMEM, "heap: no memory for its table");
    uint64_t most = config->heap_bytes / HEADER_BYTES + 1;
    h->slots_max = most < SLOTS_MAX ? (uint32_t)most : SLOTS_MAX;
    h->slots =
        mmap(NULL, h->slots_max * sizeof *h->slots, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (h->slots == MAP_FAILED) {
        free(h);
        return err_set(why, ERR_NOMEM, "heap: no address space for its table");
    }
    (void)pthread_mutex_init(&h->lock, NULL);
    h->config = *config;
    h->n_slots = 1;
    *out = h;
    return ERR_OK;
}

void heap_free(struct heap *heap)
{
    if (!heap)
        return;
    assert(heap->n_mutators == 0);
    for (uint32_t i = 1; i < heap->n_slots; i++)
        free(heap->slots[i].data);
    (void)munmap(heap->slots, heap->slots_max * sizeof *heap->slots);
    (void)pthread_mutex_destroy(&heap->lock);
    free(heap);
}

static struct group *group_of(struct heap *h, const char *name)
{
    for (size_t i = 0; i < h->n_groups; i++)
        if (!strcmp(h->groups[i].name, name))
            return &h->groups[i];
    if (h->n_groups == GROUPS_MAX)
        return NULL;
    h->groups[h->n_groups].name = name;
    return &h->groups[h->n_groups++];
}

struct mutator *heap_attach(struct heap *heap, const char *name)
{
    struct mutator *m = calloc(1, sizeof *m);
    if (m && heap->config.stress)
        m->seen = calloc(1, sizeof *m->seen);
    (void)pthread_mutex_lock(&heap->lock);
    struct group *group = group_of(heap, name);
    bool fits = m && group && heap->n_mutators < HEAP_MUTATORS_MAX &&
                (m->seen || !heap->config.stress);
    heap->n_mutators += fits;
    (void)pthread_mutex_unlock(&heap->lock);
    if (!fits) {
        free(m ? m->seen : NULL);
        free(m);
        return NULL;
    }
    m->heap = heap;
    m->group = group;
    return m;
}

/* Stress: move what m alone has looked at. The heap is locked. */
static void move_seen(struct mutator *m)
{
    for (size_t i = 0; i < m->seen->n; i++) {
        struct slot *s = &m->heap->slots[m->seen->refs[i]];
        if (!s->data || s->asker != m)
            continue;
        void *moved = malloc(s->bytes);
        if (!moved)
            continue;
        memcpy(moved, s->data, s->bytes);
        free(s->data);
        s->data = moved;
        s->asker = NULL; /* seen twice is moved once */
    }
    m->seen->n = 0;
}

static void safepoint(struct mutator *m)
{
    assert(!m->native);
    if (!m->seen)
        return;
    (void)pthread_mutex_lock(&m->heap->lock);
    move_seen(m);
    (void)pthread_mutex_unlock(&m->heap->lock);
}

void heap_detach(struct mutator *mutator)
{
    struct heap *h = mutator->heap;
    (void)pthread_mutex_lock(&h->lock);
    for (size_t i = 0; mutator->seen && i < mutator->seen->n; i++) {
        struct slot *s = &h->slots[mutator->seen->refs[i]];
        if (s->asker == mutator)
            s->asker = NULL;
    }
    h->n_mutators--;
    (void)pthread_mutex_unlock(&h->lock);
    free(mutator->seen);
    free(mutator);
}

/* Count a refusal; the heap is locked. */
static void refuse(struct mutator *m, size_t bytes)
{
    if (!m->group->oom_count++)
        m->group->oom_bytes = bytes;
}

/* Charge bytes, for a moment or for long; the heap is locked. */
static bool charge(struct mutator *m, size_t bytes)
{
    struct heap *h = m->heap;
    if (bytes > h->config.heap_bytes - h->used)
        return false;
    h->used += bytes;
    if (h->used > h->used_max)
        h->used_max = h->used;
    m->group->alloc_count++;
    m->group->alloc_bytes += bytes;
    return true;
}

/* A free slot's number, 0 when the table is full; the heap is locked. */
static uint32_t take_slot(struct heap *h)
{
    uint32_t ref = h->slot_free;
    if (ref)
        h->slot_free = h->slots[ref].next;
    else if (h->n_slots < h->slots_max)
        ref = h->n_slots++;
    return ref;
}

static void give_slot(struct heap *h, uint32_t ref)
{
    h->slots[ref] = (struct slot){.next = h->slot_free};
    h->slot_free = ref;
}

static size_t rounded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* Make data an object of the heap; 0: it does not fit, data is not taken. */
static heap_ref enter(struct mutator *m, void *data, size_t bytes)
{
    struct heap *h = m->heap;
    (void)pthread_mutex_lock(&h->lock);
    heap_ref ref = data ? take_slot(h) : 0;
    if (ref && charge(m, bytes)) {
        h->slots[ref] = (struct slot){.data = data, .bytes = bytes};
    } else {
        if (ref)
            give_slot(h, ref);
        refuse(m, bytes);
        ref = 0;
    }
    (void)pthread_mutex_unlock(&h->lock);
    return ref;
}

heap_ref heap_alloc(struct mutator *mutator, size_t n)
{
    safepoint(mutator);
    /* What can never fit is refused before calloc sees its size. */
    bool sane = n <= mutator->heap->config.heap_bytes;
    size_t bytes = sane ? rounded(HEADER_BYTES + n) : n;
    void *data = sane ? calloc(1, bytes) : NULL;
    heap_ref ref = enter(mutator, data, bytes);
    if (!ref)
        free(data);
    return ref;
}

bool heap_garbage(struct mutator *mutator, size_t n)
{
    safepoint(mutator);
    struct heap *h = mutator->heap;
    size_t bytes = rounded(n);
    (void)pthread_mutex_lock(&h->lock);
    bool fits = charge(mutator, bytes);
    if (fits)
        h->used -= bytes;
    else
        refuse(mutator, bytes);
    (void)pthread_mutex_unlock(&h->lock);
    return fits;
}

void *heap_ptr(const struct mutator *mutator, heap_ref ref)
{
    struct slot *s = &mutator->heap->slots[ref];
    assert(ref != 0);
    assert(!mutator->native);
    if (!mutator->seen)
        return s->data;
    (void)pthread_mutex_lock(&mutator->heap->lock);
    struct seen *seen = mutator->seen;
    if (seen->n < SEEN_MAX)
        seen->refs[seen->n++] = ref;
    s->asker = mutator;
    void *data = s->data;
    (void)pthread_mutex_unlock(&mutator->heap->lock);
    return data;
}

void heap_release(struct mutator *mutator, heap_ref ref)
{
    if (!ref)
        return;
    assert(!mutator->native);
    struct heap *h = mutator->heap;
    (void)pthread_mutex_lock(&h->lock);
    struct slot *s = &h->slots[ref];
    assert(s->data);
    void *data = s->data;
    h->used -= s->bytes;
    give_slot(h, ref);
    (void)pthread_mutex_unlock(&h->lock);
    free(data);
}

void heap_native_enter(struct mutator *mutator)
{
    safepoint(mutator);
    mutator->native = true;
}

void heap_native_leave(struct mutator *mutator)
{
    assert(mutator->native);
    mutator->native = false;
}

void heap_poll(struct mutator *mutator)
{
    safepoint(mutator);
}

void heap_stats(struct heap *heap, const char *name, struct heap_stats *out)
{
    *out = (struct heap_stats){0};
    (void)pthread_mutex_lock(&heap->lock);
    out->heap_bytes = heap->config.heap_bytes;
    out->used_bytes = out->live_bytes = heap->used;
    out->used_max_bytes = heap->used_max;
    for (size_t i = 0; i < heap->n_groups; i++) {
        const struct group *g = &heap->groups[i];
        if (name && strcmp(g->name, name))
            continue;
        out->alloc_count += g->alloc_count;
        out->alloc_bytes += g->alloc_bytes;
        out->oom_bytes = out->oom_bytes ? out->oom_bytes : g->oom_bytes;
        out->oom_count += g->oom_count;
    }
    (void)pthread_mutex_unlock(&heap->lock);
}

void heap_stats_reset(struct heap *heap)
{
    (void)pthread_mutex_lock(&heap->lock);
    heap->used_max = heap->used;
    for (size_t i = 0; i < heap->n_groups; i++)
        heap->groups[i] = (struct group){.name = heap->groups[i].name};
    (void)pthread_mutex_unlock(&heap->lock);
}
