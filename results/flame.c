/* Sorted by frames, stacks that share their outer frames are neighbours: one
 * walk opens a frame where it first appears and closes it where it ends,
 *
 *     a;b;c 3        |   c   |
 *     a;b   1   ->   |   b    |  d  |
 *     a;d   2        |      a       |
 *
 * first to find how deep what is wide enough to be seen goes, then to draw. */
#include "results/flame.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH      1200.0 /* units of the picture: pixels, unless scaled */
#define MARGIN     10.0
#define HEAD       52.0 /* the title's height */
#define ROW        17.0
#define CHAR_WIDTH 6.7 /* of the font, at 11 pixels */
#define SEEN       0.3 /* narrower frames are not drawn in any case */

struct frame {
    const char *name;
    size_t len;
    uint64_t begin; /* samples before it */
};

struct walk {
    struct frame open[FLAME_DEPTH_MAX];
    size_t depth; /* of open */
    uint64_t at, total;
    double seen;         /* width of the narrowest that is drawn */
    size_t frames, rows; /* that are seen */
    FILE *out;           /* NULL: only rows are counted */
};

/* A semicolon and the end come before every letter. */
static int by_frames(const void *a, const void *b)
{
    const char *x = ((const struct flame_stack *)a)->text;
    const char *y = ((const struct flame_stack *)b)->text;
    while (*x && *x == *y)
        x++, y++;
    int cx = *x == ';' ? 1 : *x ? 1 + (unsigned char)*x : 0;
    int cy = *y == ';' ? 1 : *y ? 1 + (unsigned char)*y : 0;
    return (cx > cy) - (cx < cy);
}

static void put_text(FILE *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        switch (text[i]) {
        case '<':
            (void)fputs("&lt;", out);
            break;
        case '>':
            (void)fputs("&gt;", out);
            break;
        case '&':
            (void)fputs("&amp;", out);
            break;
        default:
            (void)fputc(text[i] < ' ' || text[i] > '~' ? '?' : text[i], out);
        }
}

/* Code without a name is grey, the kernel's blue, a program's a warm colour
 * that its name decides, so that it is the same in every graph. */
static void put_colour(FILE *out, const char *name, size_t len)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    unsigned hue = hash % 41, light = 62 + hash / 41 % 14;
    if (len > 4 && !memcmp(name + len - 4, "_[k]", 4))
        (void)fprintf(out, "hsl(%u,55%%,%u%%)", 200 + hue / 2, light + 8);
    else if (len && *name == '[')
        (void)fprintf(out, "hsl(0,0%%,%u%%)", light + 12);
    else
        (void)fprintf(out, "hsl(%u,85%%,%u%%)", 12 + hue, light);
}

/* What fits of the name, with two dots where it is cut. */
static void put_label(FILE *out, const struct frame *f, double x, double y,
                      double width)
{
    size_t room = width > 6 ? (size_t)((width - 6) / CHAR_WIDTH) : 0;
    if (room < 3)
        return;
    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + ROW - 5);
    put_text(out, f->name, f->len <= room ? f->len : room - 2);
    (void)fputs(f->len <= room ? "</text>" : "..</text>", out);
}

static void put_frame(struct walk *w, size_t depth)
{
    const struct frame *f = &w->open[depth];
    double unit = (WIDTH - 2 * MARGIN) / (double)w->total;
    double x = MARGIN + unit * (double)f->begin;
    double width = unit * (double)(w->at - f->begin);
    if (width < w->seen)
        return;
    if (!w->out) {
        w->frames++;
        w->rows = depth + 1 > w->rows ? depth + 1 : w->rows;
        return;
    }
    double y = HEAD + ROW * (double)(w->rows - 1 - depth);
    uint64_t samples = w->at - f->begin;
    (void)fputs("<g><title>", w->out);
    put_text(w->out, f->name, f->len);
    (void)fprintf(w->out, " (%llu samples, %.2f %%)</title>",
                  (unsigned long long)samples,
                  100 * (double)samples / (double)w->total);
    (void)fprintf(w->out,
                  "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
                  "fill=\"",
                  x, y, width, ROW - 1);
    put_colour(w->out, f->name, f->len);
    (void)fputs("\"/>", w->out);
    put_label(w->out, f, x, y, width);
    (void)fputs("</g>\n", w->out);
}

static void close_to(struct walk *w, size_t depth)
{
    while (w->depth > depth)
        put_frame(w, --w->depth);
}

/* Close what the stack does not share, open the rest of it. */
static void take(struct walk *w, const struct flame_stack *stack)
{
    const char *at = stack->text;
    bool shared = true;
    for (size_t d = 1; d < FLAME_DEPTH_MAX; d++) {
        size_t len = strcspn(at, ";");
        shared = shared && d < w->depth && w->open[d].len == len &&
                 !memcmp(w->open[d].name, at, len);
        if (!shared) {
            close_to(w, d);
            w->open[w->depth++] = (struct frame){at, len, w->at};
        }
        at += len;
        if (!*at++) {
            close_to(w, d + 1);
            break;
        }
    }
    w->at += stack->samples;
}

static void walk(struct walk *w, const struct flame_stack *stacks, size_t n)
{
    w->open[0] = (struct frame){"all", 3, 0};
    w->depth = 1;
    w->at = 0;
    for (size_t i = 0; i < n; i++)
        take(w, &stacks[i]);
    close_to(w, 0);
}

/* How many frames and rows are to be seen, of those that are wide enough. */
static void look(struct walk *w, const struct flame_stack *stacks, size_t n)
{
    for (w->seen = SEEN;; w->seen *= 2) {
        w->frames = w->rows = 0;
        walk(w, stacks, n);
        if (w->frames <= FLAME_FRAMES_MAX)
            return;
    }
}

static void put_head(FILE *out, const char *title, double height,
                     uint64_t total)
{
    (void)fprintf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
        "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" "
        "font-size=\"11\">\n"
        "<style>g:hover rect{stroke:#000}text{pointer-events:none}</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"%.0f\" y=\"20\" font-size=\"15\">",
        WIDTH, height, WIDTH, height, MARGIN);
    put_text(out, title, strlen(title));
    (void)fprintf(out,
                  "</text>\n<text x=\"%.0f\" y=\"38\" fill=\"#555\">%llu "
                  "samples; a frame stands on its caller and is as wide as its "
                  "share; blue: the kernel, grey: no name</text>\n",
                  MARGIN, (unsigned long long)total);
}

char *flame_draw(struct flame_stack *stacks, size_t n, const char *title,
                 size_t *len)
{
    char *text = NULL;
    struct walk *w = calloc(1, sizeof *w);
    FILE *out = open_memstream(&text, len);
    if (!w || !out)
        goto out;
    for (size_t i = 0; i < n; i++)
        w->total += stacks[i].samples;
    if (n)
        qsort(stacks, n, sizeof *stacks, by_frames);
    if (w->total)
        look(w, stacks, n);
    put_head(out, title, HEAD + ROW * (double)w->rows + MARGIN, w->total);
    w->out = out;
    if (w->total)
        walk(w, stacks, n);
    (void)fputs("</svg>\n", out);
out:
    free(w);
    if (out && fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
