#include "target/decoder.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool on_target(void *ctx, const char *data, size_t len)
{
    struct request *r = &((struct decoder *)ctx)->request;
    if (len > DECODER_LINE_MAX - r->target_len)
        len = DECODER_LINE_MAX - r->target_len; /* the line is refused below */
    memcpy(r->target + r->target_len, data, len);
    r->target_len += len;
    return true;
}

static bool is(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && !strncasecmp(text, word, len);
}

/* The header at hand is complete: only Expect matters here. */
static void end_header(struct decoder *d)
{
    while (d->value_len && strchr(" \t", d->value[d->value_len - 1]))
        d->value_len--;
    if (is(d->name, d->name_len, "expect") &&
        is(d->value, d->value_len, "100-continue"))
        d->expect = true;
    d->name_len = d->value_len = 0;
    d->in_value = false;
}

/* Keep what fits, and one byte more so that a longer text matches nothing. */
static void keep(char *to, size_t size, size_t *len, const char *data, size_t n)
{
    if (n > size - *len)
        n = size - *len;
    memcpy(to + *len, data, n);
    *len += n;
}

static bool on_name(void *ctx, const char *data, size_t len)
{
    struct decoder *d = ctx;
    if (d->in_value)
        end_header(d);
    keep(d->name, sizeof d->name, &d->name_len, data, len);
    return true;
}

static bool on_value(void *ctx, const char *data, size_t len)
{
    struct decoder *d = ctx;
    d->in_value = true; /* which may be empty */
    keep(d->value, sizeof d->value, &d->value_len, data, len);
    return true;
}

static bool on_head(void *ctx, const struct http1_head *head)
{
    struct decoder *d = ctx;
    end_header(d);
    d->request.method = head->method;
    d->request.keep_alive = head->keep_alive;
    d->headed = true;
    d->left =
        head->content_length == HTTP1_LENGTH_NONE ? 0 : head->content_length;
    d->phase = head->chunked ? DECODER_CHUNK_SIZE : DECODER_BODY;
    d->in_size = head->chunked;
    return true;
}

static bool on_body(void *ctx, const char *data, size_t len)
{
    struct decoder *d = ctx;
    (void)data;
    d->fed += len;
    return true;
}

static bool on_end(void *ctx)
{
    ((struct decoder *)ctx)->complete = true;
    return true;
}

static const struct http1_events events = {.target = on_target,
                                           .header_name = on_name,
                                           .header_value = on_value,
                                           .head = on_head,
                                           .body = on_body,
                                           .end = on_end};

bool decoder_init(struct decoder *d, struct mutator *m, uint32_t initial_chars,
                  uint32_t max_parts)
{
    memset(d, 0, sizeof *d);
    body_init(&d->body, max_parts);
    d->parser = http1_new(HTTP1_REQUEST, &events, d);
    if (!d->parser || (m && !header_init(&d->header, m, initial_chars))) {
        http1_free(d->parser);
        return false;
    }
    decoder_next(d);
    return true;
}

void decoder_fini(struct decoder *d, struct mutator *m)
{
    if (m) {
        body_release(&d->body, m);
        cumulation_drop(&d->kept, m);
        header_fini(&d->header, m);
    }
    body_fini(&d->body);
    http1_free(d->parser);
    d->parser = NULL;
}

void decoder_next(struct decoder *d)
{
    d->request.target_len = d->request.small_len = 0;
    d->request.body_bytes = 0;
    d->phase = DECODER_HEAD;
    d->in_first = true;
    d->begun = d->headed = d->complete = d->expect = false;
    d->in_size = d->in_value = d->cr = d->in_line = false;
    d->line = 0;
    d->name_len = d->value_len = 0;
}

/* Netty's line parser reads these; what ends a chunk it reads by bytes. */
static bool is_parsed_line(enum decoder_phase phase)
{
    return phase == DECODER_HEAD || phase == DECODER_CHUNK_SIZE ||
           phase == DECODER_TRAILER;
}

static bool is_content(enum decoder_phase phase)
{
    return phase == DECODER_BODY || phase == DECODER_CHUNK;
}

/* How many of n bytes make the next step. */
static uint32_t step_of(const struct decoder *d, const struct input *in,
                        const char *p, uint32_t n)
{
    if (is_content(d->phase)) {
        /* Native input is not sliced: nothing is allocated for it. */
        if (in->ref && n > BODY_COMPONENT_BYTES)
            n = BODY_COMPONENT_BYTES;
        return n < d->left ? n : (uint32_t)d->left;
    }
    const char *feed = memchr(p, '\n', n);
    return feed ? (uint32_t)(feed - p) + 1 : n;
}

/* Whether a piece of a line is as HTTP wants it: a carriage return only before
 * the line feed, and nothing else behind a chunk. http-parser takes more, and
 * would end a request in the middle of a step. */
static inline __attribute__((always_inline)) bool
is_line(struct decoder *d, const char *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (d->cr ? p[i] != '\n'
                  : d->phase == DECODER_CHUNK_END && p[i] != '\r')
            return false;
        d->cr = p[i] == '\r';
    }
    return true;
}

/* The size of a chunk, from a piece of its line; the parser checks the rest. */
static void read_chunk_size(struct decoder *d, const char *p, uint32_t n)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    for (uint32_t i = 0; i < n && d->in_size; i++) {
        const char *digit = memchr(digits, p[i], sizeof digits - 1);
        d->in_size = digit && d->left <= DECODER_BODY_MAX;
        if (!d->in_size)
            return;
        size_t value = (size_t)(digit - digits);
        d->left = d->left * 16 + (value < 16 ? value : value - 6);
    }
}

/* What follows a step that ended a line. */
static void end_line(struct decoder *d, enum decoder_phase fed)
{
    switch (fed) {
    case DECODER_HEAD:
        d->in_first = d->in_first && d->line <= 2; /* empty lines before it */
        d->line = 0;
        break;
    case DECODER_CHUNK_SIZE:
        d->phase = d->left ? DECODER_CHUNK : DECODER_TRAILER;
        break;
    case DECODER_CHUNK_END:
        d->phase = DECODER_CHUNK_SIZE;
        d->in_size = true;
        break;
    case DECODER_BODY:
    case DECODER_CHUNK:
    case DECODER_TRAILER:
        break;
    }
}

/* n bytes of content at in->pos were parsed. */
static bool take_content(struct decoder *d, struct mutator *m,
                         const struct input *in, uint32_t n)
{
    struct request *r = &d->request;
    r->body_bytes += n;
    d->left -= n;
    if (d->phase == DECODER_CHUNK && d->left == 0)
        d->phase = DECODER_CHUNK_END;
    if (!in->ref) {
        keep(r->small, sizeof r->small, &r->small_len, in->native + in->pos, n);
        return true;
    }
    d->body.keep = in->ref;
    if (!body_add(&d->body, m, in->ref, in->pos, n))
        return false;
    heap_poll(m);
    return true;
}

static enum header_line kind_of(const struct decoder *d,
                                enum decoder_phase phase)
{
    if (phase == DECODER_CHUNK_SIZE)
        return HEADER_CHUNK;
    return phase == DECODER_HEAD && d->in_first ? HEADER_REQUEST : HEADER_FIELD;
}

/* n bytes of a line were parsed, its end among them or not. */
static bool take_line(struct decoder *d, struct mutator *m,
                      const struct input *in, uint32_t n, enum header_line kind)
{
    if (!d->in_line)
        d->kept.off = in->pos;
    if (!header_append(&d->header, m, in->ref, in->pos, n))
        return false;
    d->in_line = d->header.length != 0;
    uint32_t off = d->kept.off;
    return d->in_line ||
           header_strings(m, in->ref, off, in->pos + n - off, kind);
}

/* Feed one step and follow it. DECODE_MORE: go on. */
static inline __attribute__((always_inline)) enum decode
run_step(struct decoder *d, struct mutator *m, struct input *in,
         struct why *why)
{
    const char *p =
        (in->ref ? (const char *)heap_ptr(m, in->ref) : in->native) + in->pos;
    enum decoder_phase phase = d->phase;
    enum header_line kind = kind_of(d, phase);
    uint32_t n = step_of(d, in, p, in->len - in->pos);
    bool line_ends = !is_content(phase) && p[n - 1] == '\n';
    if (phase == DECODER_CHUNK_SIZE)
        read_chunk_size(d, p, n);
    if (d->in_first && phase == DECODER_HEAD)
        d->line += n;
    if (d->in_first && d->line > DECODER_LINE_MAX + 2)
        return DECODE_LONG;
    d->fed = 0;
    d->begun = true;
    if (!is_content(phase) && !is_line(d, p, n)) {
        (void)err_set(why, ERR_PROTOCOL, "HTTP: a line does not end in CRLF");
        return DECODE_BAD;
    }
    if (http1_feed(d->parser, p, n, why))
        return DECODE_BAD;
    if (n == 0 || d->fed != (is_content(phase) ? n : 0)) {
        (void)err_set(why, ERR_PROTOCOL, "HTTP: body and length differ");
        return DECODE_BAD;
    }
    if (line_ends)
        end_line(d, phase);
    if (in->ref && is_parsed_line(phase) && !take_line(d, m, in, n, kind))
        return DECODE_OOM;
    if (is_content(phase) && !take_content(d, m, in, n))
        return DECODE_OOM;
    if (d->complete && in->ref && !heap_garbage(m, DECODER_REQUEST_GARBAGE))
        return DECODE_OOM;
    in->pos += n;
    if (d->left > DECODER_BODY_MAX - d->request.body_bytes)
        return DECODE_LARGE;
    if (d->complete)
        return DECODE_REQUEST;
    if (d->headed && d->expect) {
        d->expect = false;
        return DECODE_CONTINUE;
    }
    return DECODE_MORE;
}

/* All that heads cost, and not inlined: perf must find the share of header
 * parsing by this name. */
__attribute__((noinline)) static enum decode decode_line(struct decoder *d,
                                                         struct mutator *m,
                                                         struct input *in,
                                                         struct why *why)
{
    return run_step(d, m, in, why);
}

/* The read before ended inside a line: go on behind it, in one buffer. */
static bool go_on(struct decoder *d, struct mutator *m, struct input *in)
{
    bool shared = body_holds(&d->body, d->kept.ref);
    if (!cumulation_merge(&d->kept, m, in, shared))
        return false;
    d->body.keep = in->ref;
    uint32_t off = d->kept.off;
    return header_again(&d->header, m, in->ref, off, in->pos - off);
}

/* All of in was decoded: the decoder owns its buffer from now on if a line is
 * unfinished, the body if it holds a slice, or nobody. */
static void end_input(struct decoder *d, struct mutator *m, struct input *in)
{
    d->body.keep = 0;
    if (in->ref && d->in_line) {
        d->body.keep = in->ref;
        cumulation_take(&d->kept, in, d->kept.off);
    } else if (in->ref && !body_holds(&d->body, in->ref)) {
        heap_release(m, in->ref);
    }
    in->ref = 0;
}

enum decode decoder_run(struct decoder *d, struct mutator *m, struct input *in,
                        struct why *why)
{
    enum decode r = DECODE_MORE;
    if (d->kept.ref && !go_on(d, m, in))
        return DECODE_OOM;
    while (r == DECODE_MORE && in->pos < in->len)
        r = is_content(d->phase) ? run_step(d, m, in, why)
                                 : decode_line(d, m, in, why);
    if (in->pos == in->len)
        end_input(d, m, in);
    return r;
}
