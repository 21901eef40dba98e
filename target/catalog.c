#include "target/catalog.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 255u

struct catalog {
    pthread_mutex_t lock;
    size_t n;
    char names[CATALOG_MAX][NAME_MAX_BYTES + 1];
};

struct catalog *catalog_new(void)
{
    struct catalog *c = calloc(1, sizeof *c);
    if (c)
        (void)pthread_mutex_init(&c->lock, NULL);
    return c;
}

void catalog_free(struct catalog *c)
{
    if (c)
        (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

/* Position of the name, c->n when it is not there. Locked. */
static size_t find(const struct catalog *c, const char *name, size_t len)
{
    size_t i = 0;
    while (i < c->n &&
           (strlen(c->names[i]) != len || memcmp(c->names[i], name, len)))
        i++;
    return i;
}

enum err catalog_add(struct catalog *c, const char *name, size_t len)
{
    enum err e = ERR_OK;
    (void)pthread_mutex_lock(&c->lock);
    if (find(c, name, len) < c->n)
        e = ERR_EXISTS;
    else if (c->n == CATALOG_MAX || len > NAME_MAX_BYTES)
        e = ERR_NOSPACE;
    if (!e) {
        memcpy(c->names[c->n], name, len);
        c->names[c->n++][len] = '\0';
    }
    (void)pthread_mutex_unlock(&c->lock);
    return e;
}

enum err catalog_remove(struct catalog *c, const char *name)
{
    (void)pthread_mutex_lock(&c->lock);
    size_t i = find(c, name, strlen(name));
    enum err e = i < c->n ? ERR_OK : ERR_NOTFOUND;
    if (!e && i != --c->n)
        memcpy(c->names[i], c->names[c->n], sizeof c->names[i]);
    (void)pthread_mutex_unlock(&c->lock);
    return e;
}

bool catalog_has(struct catalog *c, const char *name)
{
    (void)pthread_mutex_lock(&c->lock);
    bool there = find(c, name, strlen(name)) < c->n;
    (void)pthread_mutex_unlock(&c->lock);
    return there;
}

size_t catalog_size(struct catalog *c)
{
    (void)pthread_mutex_lock(&c->lock);
    size_t n = c->n;
    (void)pthread_mutex_unlock(&c->lock);
    return n;
}
