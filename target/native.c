/* One atomic addition per allocation costs 1 to 2 % of FTS5's speed; SQLite's
 * own accounts (MEMSTATUS) lock and cost 5 to 14 %. */
#include "target/native.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* SQLite's allocator has no context: its state is the process's. */
static struct {
    _Atomic uint64_t used, max, limit; /* limit 0: none */
    _Atomic unsigned lifted;
    _Atomic int64_t fail_after;
    _Atomic bool open;
} native = {.fail_after = -1};

/* Take n bytes of the budget. */
static bool take(uint64_t n)
{
    uint64_t limit = atomic_load(&native.limit);
    uint64_t now = atomic_fetch_add(&native.used, n) + n;
    if (limit && now > limit && !atomic_load(&native.lifted)) {
        atomic_fetch_sub(&native.used, n);
        return false;
    }
    uint64_t max = atomic_load_explicit(&native.max, memory_order_relaxed);
    while (now > max && !atomic_compare_exchange_weak(&native.max, &max, now))
        ;
    return true;
}

static bool fails(void)
{
    if (atomic_load_explicit(&native.fail_after, memory_order_relaxed) < 0)
        return false;
    return atomic_fetch_sub(&native.fail_after, 1) == 0;
}

void *native_alloc(size_t n)
{
    void *p = fails() ? NULL : malloc(n);
    if (p && !take(malloc_usable_size(p))) {
        free(p);
        p = NULL;
    }
    return p;
}

void native_free(void *p)
{
    if (p)
        atomic_fetch_sub(&native.used, malloc_usable_size(p));
    free(p);
}

/* The old bytes stay counted until the new ones are there: the budget has to
 * hold both, as realloc does when it moves. */
void *native_grow(void *p, size_t n)
{
    uint64_t old = p ? malloc_usable_size(p) : 0;
    if (fails() || (n > old && !take(n - old)))
        return NULL;
    void *grown = realloc(p, n);
    uint64_t reserved = n > old ? n : old;
    uint64_t have = malloc_usable_size(grown ? grown : p);
    if (have >= reserved)
        atomic_fetch_add(&native.used, have - reserved);
    else
        atomic_fetch_sub(&native.used, reserved - have);
    return grown;
}

static void *sql_alloc(int n)
{
    return native_alloc((size_t)n);
}

static void *sql_grow(void *p, int n)
{
    return native_grow(p, (size_t)n);
}

static int sql_size(void *p)
{
    return (int)malloc_usable_size(p);
}

static int sql_roundup(int n)
{
    return (n + 7) & ~7;
}

static int sql_init(void *unused)
{
    (void)unused;
    return SQLITE_OK;
}

static void sql_shutdown(void *unused)
{
    (void)unused;
}

enum err native_open(uint64_t limit_bytes, struct why *why)
{
    static const sqlite3_mem_methods methods = {
        sql_alloc,   native_free, sql_grow,     sql_size,
        sql_roundup, sql_init,    sql_shutdown, NULL};
    atomic_store(&native.limit, limit_bytes);
    atomic_store(&native.max, atomic_load(&native.used));
    if (atomic_load(&native.open))
        return ERR_OK;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) ||
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0))
        return err_set(why, ERR_STATE, "SQLite is in use already");
    if (sqlite3_initialize())
        return err_set(why, ERR_NOMEM, "SQLite: no memory to start");
    atomic_store(&native.open, true);
    return ERR_OK;
}

uint64_t native_used_bytes(void)
{
    return atomic_load(&native.used);
}

uint64_t native_max_bytes(void)
{
    return atomic_load(&native.max);
}

void native_lift(void)
{
    atomic_fetch_add(&native.lifted, 1);
}

void native_lower(void)
{
    atomic_fetch_sub(&native.lifted, 1);
}

void native_fail_after(int64_t n)
{
    atomic_store(&native.fail_after, n);
}
