#include "load/scroll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/http_head.h"

#define PATH        "/_search/scroll HTTP/1.1\r\n"
#define FIXED_BYTES 256 /* of a head and a body beside lines and id */

struct scroll *scroll_new(const struct plan_request *plan,
                          const struct engine_request *first)
{
    struct scroll *s = calloc(1, sizeof *s);
    const char *line = memchr(first->head, '\n', first->head_bytes);
    if (!s || !line) {
        free(s);
        return NULL;
    }
    s->plan = plan;
    s->lines = line + 1;
    s->lines_len = http_head_common(first->head, first->head_bytes) -
                   (size_t)(s->lines - first->head);
    s->size = s->lines_len + SCROLL_ID_MAX + FIXED_BYTES;
    s->memory = malloc(s->size);
    if (!s->memory) {
        free(s);
        return NULL;
    }
    return s;
}

void scroll_free(struct scroll *s)
{
    if (s)
        free(s->memory);
    free(s);
}

void scroll_begin(struct scroll *s, const struct engine_request *first)
{
    s->pages = s->requests = 0;
    s->ends = false;
    s->head_bytes = first->head_bytes;
    s->answer.id[s->answer.id_len = 0] = 0;
    scroll_answer_begin(&s->answer);
    s->sum = (struct engine_answer){.outcome = ENGINE_ANSWERED, .status = 200};
}

static void add(struct scroll *s, const struct engine_answer *a, bool good)
{
    struct engine_answer *sum = &s->sum;
    bool sent = a->outcome != ENGINE_UNSENT;
    if (sent && !s->requests)
        sum->sent_ns = a->sent_ns;
    s->requests += sent;
    sum->done_ns = a->done_ns;
    sum->sent_bytes += a->sent_bytes;
    sum->received_bytes += a->received_bytes;
    if (good || s->ends)
        return;
    sum->outcome = a->outcome;
    sum->status = a->status;
    sum->text = a->text;
    sum->given_up = a->given_up;
}

/* The one with this method and body, made of id; NULL: there is no id. */
static const struct engine_request *make(struct scroll *s, const char *method,
                                         const char *before, const char *after)
{
    const char *id = s->answer.id;
    if (!*id)
        return NULL;
    size_t body = strlen(before) + s->answer.id_len + strlen(after);
    int head = snprintf(s->memory, s->size,
                        "%s " PATH "%.*sContent-Length: %zu\r\n\r\n", method,
                        (int)s->lines_len, s->lines, body);
    (void)snprintf(s->memory + head, s->size - (size_t)head, "%s%s%s", before,
                   id, after);
    s->request = (struct engine_request){.head = s->memory,
                                         .head_bytes = (size_t)head,
                                         .body = s->memory + head,
                                         .body_bytes = body};
    s->head_bytes += (size_t)head;
    return &s->request;
}

/* Whether the page that came leaves anything to ask for. */
static bool is_last(const struct scroll *s)
{
    const struct scroll_answer *a = &s->answer;
    bool few = s->pages == 1 && a->total_known && a->total < s->plan->page_size;
    return few || !a->any || s->pages == s->plan->pages;
}

const struct engine_request *
scroll_next(struct scroll *s, const struct engine_answer *a, bool good)
{
    add(s, a, good);
    if (s->ends || a->outcome != ENGINE_ANSWERED)
        return NULL;
    s->pages += good;
    if (good && !is_last(s)) {
        scroll_answer_begin(&s->answer);
        return make(s, "POST", "{\"scroll\":\"10s\",\"scroll_id\":\"", "\"}");
    }
    s->ends = true;
    return make(s, "DELETE", "{\"scroll_id\":[\"", "\"]}");
}
