#include "controller/share.h"

#include <stdlib.h>

enum err share_init(struct share *s, uint32_t n, struct why *why)
{
    *s = (struct share){.n = n};
    s->blocks = calloc(n ? n : 1, sizeof *s->blocks);
    if (!s->blocks)
        return err_set(why, ERR_NOMEM, "%u blocks", n);
    for (uint32_t b = 0; b < n; b++)
        s->blocks[b].bench = SHARE_NOBODY;
    return ERR_OK;
}

void share_fini(struct share *s)
{
    free(s->blocks);
    *s = (struct share){.n = 0};
}

enum err share_grow(struct share *s, uint32_t left, struct why *why)
{
    struct share_block *blocks =
        realloc(s->blocks, (s->n + 1) * sizeof *blocks);
    if (!blocks)
        return err_set(why, ERR_NOMEM, "%u blocks", s->n + 1);
    s->blocks = blocks;
    blocks[s->n++] = (struct share_block){.bench = SHARE_NOBODY, .left = left};
    return ERR_OK;
}

static bool is_open(const struct share_block *b)
{
    return !b->dropped && b->left > 0;
}

enum share_answer share_next(struct share *s, uint32_t bench, uint32_t limit,
                             uint32_t *block)
{
    bool any = false;
    for (uint32_t i = 0; i < s->n; i++) {
        struct share_block *b = &s->blocks[i];
        bool mine = b->bench == bench || b->bench == SHARE_NOBODY;
        any |= is_open(b);
        if (is_open(b) && mine && i < limit) {
            b->bench = bench;
            *block = i;
            return SHARE_TAKE;
        }
    }
    return any ? SHARE_LATER : SHARE_NONE;
}

uint32_t share_done(const struct share *s)
{
    uint32_t n = 0;
    while (n < s->n && !is_open(&s->blocks[n]))
        n++;
    return n;
}

uint32_t share_left(const struct share *s)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->blocks[i].dropped)
            left += s->blocks[i].left;
    return left;
}
