/* The server on a heap with too little room: the state in which small objects
 * are allocated one by one outside the buffers (the reference's phase K). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "target/server.h"
#include "tests/lib/check.h"
#include "tests/unit/target/client.h"

#define HOLDERS  4
#define ROUNDS   80 /* 4 buffers each: 21 MB, more than the heap of 16 MiB */
#define BULKS    5
#define DOCS     100
#define TEXT_MAX (DOCS * 1100)

struct load {
    struct running r;
    int holders[HOLDERS];
    int bulk, observer;
    char text[TEXT_MAX];
    size_t len;
    uint64_t sent; /* bytes, but for the observer's */
};

/* 100 documents of 1,000 bytes. */
static void write_docs(struct load *l)
{
    for (int i = 0; i < DOCS; i++)
        l->len += (size_t)sprintf(l->text + l->len,
                                  "{\"index\":{}}\n{\"a\":\"%0991d\"}\n", i);
}

static void begin(struct load *l)
{
    memset(l, 0, sizeof *l);
    running_defaults(&l->r);
    l->r.calm = true;
    l->r.settings.heap_bytes = 16u << 20;
    l->r.settings.parse_work = 1;
    l->r.settings.body_copy = true;
    running_start(&l->r);
    write_docs(l);
    l->bulk = client_connect(&l->r);
    l->observer = client_connect(&l->r);
    for (int i = 0; i < HOLDERS; i++) {
        static const char head[] =
            "POST /geo/_bulk HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n";
        l->holders[i] = client_connect(&l->r);
        assert_true(client_send(l->holders[i], head, sizeof head - 1));
        l->sent += sizeof head - 1;
    }
}

static void end(struct load *l)
{
    for (int i = 0; i < HOLDERS; i++)
        (void)close(l->holders[i]);
    (void)close(l->bulk);
    (void)close(l->observer);
    running_close(&l->r);
}

/* Bytes that the server has read; false: it is gone. */
static bool bytes_read(struct load *l, uint64_t *out)
{
    char *json;
    unsigned long long n = 0;
    static const char ask[] = "GET /_pitwall/stats HTTP/1.1\r\n\r\n";
    if (!client_send(l->observer, ask, sizeof ask - 1) ||
        client_response(l->observer, &json) != 200)
        return false;
    const char *at = strstr(json, "\"read_bytes\":");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"read_bytes\":%llu", &n), 1);
    free(json);
    *out = n;
    return true;
}

/* Wait until it has read what was sent. */
static bool settle(struct load *l)
{
    uint64_t n = 0;
    while (n < l->sent)
        if (!bytes_read(l, &n))
            return false;
    return true;
}

/* One byte more of each unfinished body, which holds a buffer of 64 KiB. */
static bool hold(struct load *l)
{
    for (int i = 0; i < HOLDERS; i++)
        if (!client_send(l->holders[i], "x", 1))
            return false;
    l->sent += HOLDERS;
    return settle(l);
}

/* Bulk requests meanwhile; false: the server is gone. */
static bool ingest(struct load *l)
{
    char head[128];
    int n = snprintf(head, sizeof head,
                     "POST /geo/_bulk HTTP/1.1\r\nContent-Length: %zu\r\n\r\n",
                     l->len);
    for (int i = 0; i < BULKS; i++) {
        if (!client_send(l->bulk, head, (size_t)n) ||
            !client_send(l->bulk, l->text, l->len) ||
            client_response(l->bulk, NULL) != 200)
            return false;
        l->sent += (size_t)n + l->len;
    }
    return true;
}

/* Unfinished bodies fill the heap while bulk requests are parsed: once old is
 * full and eden cannot be emptied, every string of 24 or 32 bytes goes outside,
 * until the heap is full. */
static void
small_objects_flood_outside_before_a_small_heap_is_full(void **state)
{
    (void)state;
    static struct load l;
    int round = 0;
    begin(&l);
    while (round < ROUNDS && hold(&l) && ingest(&l))
        round++;
    assert_true(round < ROUNDS);
    running_wait(&l.r);
    assert_int_equal(l.r.outcome, ERR_OOM);
    uint64_t count = running_number(&l.r, "heap_bulk", "outside_count");
    uint64_t bytes = running_number(&l.r, "heap_bulk", "outside_bytes");
    assert_true(count > 10000); /* 80,000 and more, really */
    assert_true(bytes / count < 200);
    assert_int_equal(running_number(&l.r, "heap_bulk", "outside_min_bytes"),
                     24);
    end(&l);
}

/* The same requests alone: what goes outside are copies of lines that a
 * buffer's rest did not hold. */
static void small_objects_stay_inside_where_there_is_room(void **state)
{
    (void)state;
    static struct load l;
    begin(&l);
    for (int round = 0; round < ROUNDS; round++)
        assert_true(ingest(&l));
    running_stop(&l.r);
    assert_int_equal(l.r.outcome, ERR_OK);
    uint64_t count = running_number(&l.r, "heap_bulk", "outside_count");
    uint64_t bytes = running_number(&l.r, "heap_bulk", "outside_bytes");
    assert_true(bytes / count > 500);
    assert_int_equal(running_number(&l.r, "heap", "old_count"), 0);
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            small_objects_flood_outside_before_a_small_heap_is_full),
        cmocka_unit_test(small_objects_stay_inside_where_there_is_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
