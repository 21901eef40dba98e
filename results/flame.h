/* A flame graph: where the samples of a profile were, as one SVG file that
 * needs no script, no font and no other file. Each frame is as wide as its
 * share of the samples and stands on the frame that called it; its name, count
 * and share are its tooltip. Pure. */
#ifndef PITWALL_RESULTS_FLAME_H
#define PITWALL_RESULTS_FLAME_H

#include <stddef.h>
#include <stdint.h>

#define FLAME_DEPTH_MAX  256   /* frames; those above are not drawn */
#define FLAME_FRAMES_MAX 20000 /* where there are more, narrow ones are not */

/* One folded stack: frames from the outermost in, semicolons between. */
struct flame_stack {
    const char *text;
    uint64_t samples;
};

/* Draw stacks[n] (which are sorted for it) under a title of any text. Owns: the
 * result, malloc'ed and terminated, *len bytes; NULL: no memory. */
char *flame_draw(struct flame_stack *stacks, size_t n, const char *title,
                 size_t *len);

#endif
