#include <stdio.h>
#include <stdlib.h>

#include "load/body.h"
#include "tests/lib/check.h"
#include "tests/unit/load/folder.h"

static const struct body_config config = {
    .host = "h:1", .headers = "", .n_clients = 4, .memory_bytes = 1 << 24};

/* A plan of one corpus of docs documents and a bulk of bulk_docs. */
struct bulk {
    struct plan_documents documents[2];
    struct plan_corpus corpus;
    struct plan plan;
    struct plan_step step;
    struct plan_task task;
    struct corpora corpora;
    struct body_config config;
};

static char cache_dir[64];

static void bulk_init(struct bulk *b, uint64_t docs, uint32_t bulk_docs)
{
    *b = (struct bulk){.task = {.name = "fill",
                                .kind = PLAN_BULK,
                                .bulk_docs = bulk_docs,
                                .ingest_ratio = 1,
                                .corpora = 1},
                       .config = config};
    b->documents[0] = (struct plan_documents){
        .generator = "geonames", .index = "i", .docs = docs, .seed = 1};
    b->corpus =
        (struct plan_corpus){.documents = b->documents, .n_documents = 1};
    b->step = (struct plan_step){.tasks = &b->task, .n_tasks = 1};
    b->plan = (struct plan){
        .corpora = &b->corpus, .n_corpora = 1, .steps = &b->step, .n_steps = 1};
}

static enum err bulk_make(struct bulk *b, struct body_pool **p, struct why *why)
{
    const struct cache_config cache = {.dir = cache_dir,
                                       .limit_bytes = 1 << 30};
    corpora_close(&b->corpora);
    check_ok(corpora_open(&b->corpora, &b->plan, &cache, why), *why);
    b->config.corpora = &b->corpora;
    return body_make(p, &b->plan, &b->task, &b->config, why);
}

static void bulk_free(struct bulk *b, struct body_pool *p)
{
    body_free(p);
    corpora_close(&b->corpora);
}

static unsigned long first_id(const struct body *body)
{
    static const char before[] = "{\"index\":{\"_index\":\"i\"}}\n"
                                 "{\"geonameid\": ";
    assert_memory_equal(body->request.body, before, strlen(before));
    return strtoul(body->request.body + strlen(before), NULL, 10);
}

static size_t lines(const struct body *body)
{
    size_t n = 0;
    for (size_t i = 0; i < body->request.body_bytes; i++)
        n += body->request.body[i] == '\n';
    return n;
}

static void body_make_slices_the_corpus_by_client(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 1000, 100); /* 250 a client: bulks of 100, 100, 50 */
    check_ok(bulk_make(&b, &p, &why), why);
    unsigned long id = 1000000;
    for (uint32_t client = 0; client < 4; client++) {
        struct body_list list = body_of(p, client);
        assert_int_equal(list.n, 3);
        assert_int_equal(list.first, 0);
        assert_int_equal(list.own, 3);
        for (uint32_t i = 0; i < list.n; i++) {
            const struct body *body = &list.items[i];
            assert_int_equal(body->docs, i < 2 ? 100 : 50);
            assert_int_equal(lines(body), 2 * body->docs);
            assert_int_equal(first_id(body), id);
            id += body->docs;
        }
    }
    assert_true(body_is_complete(p));
    assert_true(body_bytes(p) > 1000 * 250);
    bulk_free(&b, p);
}

static void body_make_writes_a_head_for_each_body(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    char head[256];
    bulk_init(&b, 8, 2);
    check_ok(bulk_make(&b, &p, &why), why);
    const struct engine_request *r = &body_of(p, 0).items[0].request;
    int n = snprintf(head, sizeof head,
                     "POST /_bulk HTTP/1.1\r\nHost: h:1\r\nContent-Type: "
                     "application/x-ndjson\r\nContent-Length: %zu\r\n\r\n",
                     r->body_bytes);
    assert_int_equal(r->head_bytes, n);
    assert_memory_equal(r->head, head, (size_t)n);
    assert_false(r->expects_no_body);
    bulk_free(&b, p);
}

static void body_make_shares_a_corpus_that_is_small(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    uint32_t own = 0;
    /* 250 documents a client are less than one bulk: 300, 300, 300, 100 */
    bulk_init(&b, 1000, 300);
    check_ok(bulk_make(&b, &p, &why), why);
    for (uint32_t client = 0; client < 4; client++) {
        struct body_list list = body_of(p, client);
        assert_int_equal(list.n, 4);
        assert_int_equal(list.first, client);
        own += list.own;
    }
    assert_int_equal(own, 4); /* each once when all are sent once */
    assert_int_equal(body_of(p, 0).items[0].docs, 300);
    assert_int_equal(body_of(p, 0).items[3].docs, 100);
    bulk_free(&b, p);
    bulk_init(&b, 10, 300); /* one body, of all there is */
    check_ok(bulk_make(&b, &p, &why), why);
    assert_int_equal(body_of(p, 3).n, 1);
    assert_int_equal(body_of(p, 3).items[0].docs, 10);
    own = 0;
    for (uint32_t client = 0; client < 4; client++)
        own += body_of(p, client).own;
    assert_int_equal(own, 1);
    bulk_free(&b, p);
}

/* Heads take 91 bytes, and there must be room for the longest there could be.
 */
static void body_make_stays_within_its_memory(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 10000, 10); /* 250 bulks a client */
    b.config.memory_bytes = 4 * 4500;
    check_ok(bulk_make(&b, &p, &why), why);
    assert_false(body_is_complete(p));
    for (uint32_t client = 0; client < 4; client++) {
        struct body_list list = body_of(p, client);
        /* what one client leaves is the next one's */
        assert_in_range(list.n, 46, 50); /* 4500 / 91 = 49.5 */
        assert_int_equal(first_id(&list.items[0]), 1000000 + 2500 * client);
    }
    bulk_free(&b, p);
    b.config.memory_bytes = 400; /* not one head each */
    check_err(bulk_make(&b, &p, &why), ERR_RANGE);
    check_says(why, "task fill: a bulk of 10 documents takes more than the "
                    "100 bytes of memory that each of 4 clients has");
    assert_null(p);
    bulk_free(&b, p);
}

/* Nothing is copied: bodies lie one after another in the mapping. */
static void body_make_sends_from_the_mapping(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 1000, 100);
    check_ok(bulk_make(&b, &p, &why), why);
    const struct bulk_file *f = corpora_file(&b.corpora, 0, 0);
    const char *at = f->data;
    for (uint32_t client = 0; client < 4; client++) {
        struct body_list list = body_of(p, client);
        for (uint32_t i = 0; i < list.n; i++) {
            assert_ptr_equal(list.items[i].request.body, at);
            at += list.items[i].request.body_bytes;
        }
    }
    assert_ptr_equal(at, f->data + f->bytes);
    assert_int_equal(body_bytes(p), f->bytes);
    bulk_free(&b, p);
}

static void body_make_leaves_others_their_clients(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 1000, 100);
    b.config.ours = (const bool[]){true, false, true, false};
    check_ok(bulk_make(&b, &p, &why), why);
    assert_int_equal(first_id(body_of(p, 0).items), 1000000);
    assert_int_equal(first_id(body_of(p, 2).items), 1000500);
    assert_int_equal(body_of(p, 1).own, 0);
    assert_int_equal(body_of(p, 3).own, 0);
    bulk_free(&b, p);
}

static uint32_t docs_of(const struct body_pool *p, uint32_t client)
{
    struct body_list list = body_of(p, client);
    uint32_t docs = 0;
    for (uint32_t i = 0; i < list.own; i++)
        docs += list.items[i].docs;
    return docs;
}

static void body_make_takes_a_part_of_each_slice(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 1000, 50); /* 5 bulks a client */
    b.task.ingest_ratio = 0.5;
    check_ok(bulk_make(&b, &p, &why), why);
    for (uint32_t client = 0; client < 4; client++)
        assert_int_equal(docs_of(p, client), 150); /* 2.5 bulks, up: 3 */
    assert_true(body_is_complete(p));
    bulk_free(&b, p);
    b.task.ingest_ratio = 1;
    b.task.ingest_docs = 402; /* 100.5 a client: 100, 101, 101, 100 */
    check_ok(bulk_make(&b, &p, &why), why);
    assert_int_equal(
        docs_of(p, 0) + docs_of(p, 1) + docs_of(p, 2) + docs_of(p, 3), 402);
    assert_int_equal(docs_of(p, 0), 100);
    bulk_free(&b, p);
}

static void body_make_repeats_a_few(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 1000, 10);
    b.config.few = true;
    check_ok(bulk_make(&b, &p, &why), why);
    const struct bulk_file *f = corpora_file(&b.corpora, 0, 0);
    for (uint32_t client = 0; client < 4; client++) {
        struct body_list list = body_of(p, client);
        assert_int_equal(list.n, 8);
        assert_int_equal(list.own, 25); /* as many as there would be */
        assert_int_equal(list.first, client * 25 % 8);
        const char *body = list.items[7].request.body;
        assert_true(body < f->data || body >= f->data + f->bytes);
    }
    assert_memory_equal(body_of(p, 0).items->request.body, f->data, 2000);
    assert_true(body_is_complete(p));
    bulk_free(&b, p);
}

static void body_make_takes_sizes_in_turn(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    static const uint32_t docs[4][9] = {{1, 1, 90, 1, 1, 90, 1, 1, 64},
                                        {1, 90, 1, 1, 90, 1, 1, 65},
                                        {90, 1, 1, 90, 1, 1, 66},
                                        {1, 1, 90, 1, 1, 90, 1, 1, 64}};
    bulk_init(&b, 1000, 90); /* 250 a client, each beginning one later */
    b.task.bulk_sizes[0] = b.task.bulk_sizes[1] = 1;
    b.task.bulk_sizes[2] = 90;
    b.task.n_bulk_sizes = 3;
    check_ok(bulk_make(&b, &p, &why), why);
    for (uint32_t client = 0; client < 4; client++) {
        struct body_list list = body_of(p, client);
        for (uint32_t i = 0; i < list.own; i++)
            assert_int_equal(list.items[i].docs, docs[client][i]);
        assert_int_equal(docs_of(p, client), 250);
    }
    /* 1000 documents in 9 + 8 + 7 + 9 bulks */
    check_near(body_mean_docs(p), 1000.0 / 33, 1e-9);
    bulk_free(&b, p);
}

static void body_make_sends_the_tasks_headers(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    const char *headers[] = {"X-A: 1", "X-B: 2"};
    bulk_init(&b, 8, 2);
    b.config.headers = "C: 3\r\n";
    b.task.headers = headers;
    b.task.n_headers = 2;
    check_ok(bulk_make(&b, &p, &why), why);
    static const char head[] = "POST /_bulk HTTP/1.1\r\nHost: h:1\r\nC: "
                               "3\r\nX-A: 1\r\nX-B: 2\r\nContent-Type: ";
    assert_memory_equal(body_of(p, 0).items->request.head, head,
                        sizeof head - 1);
    bulk_free(&b, p);
}

static void body_make_gives_ids_where_they_conflict(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 400, 100);
    b.task.conflicts = PLAN_CONFLICTS_SEQUENTIAL;
    b.task.conflict_probability = 0.5;
    b.task.on_conflict_update = true;
    b.task.query = "?refresh=true";
    check_ok(bulk_make(&b, &p, &why), why);
    const struct engine_request *r = &body_of(p, 1).items->request;
    assert_memory_equal(r->head, "POST /_bulk?refresh=true HTTP/1.1\r\n", 35);
    static const char first[] =
        "{\"index\":{\"_index\":\"i\",\"_id\":\"0000000100\"}}\n"
        "{\"geonameid\": 1000100,";
    assert_memory_equal(r->body, first, sizeof first - 1);
    assert_int_equal(lines(body_of(p, 1).items), 200);
    unsigned updates = 0;
    for (const char *at = r->body, *end = at + r->body_bytes; at < end;) {
        bool update = !strncmp(at, "{\"update\":", 10);
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        assert_int_equal(update, !strncmp(at, "{\"doc\":{", 8));
        assert_memory_equal(newline - 2, update ? "}}" : "]}", 2);
        updates += update;
        at = newline + 1;
    }
    assert_in_range(updates, 35, 65); /* 3 sigma of 5 */
    bulk_free(&b, p);
    b.documents[0].index = NULL;
    b.documents[0].file = "/f";
    check_err(body_make(&p, &b.plan, &b.task, &b.config, &why), ERR_INVALID);
    check_says(why, "task fill: conflicts give ids, and the documents of /f "
                    "have action lines of their own");
}

static void body_make_lets_document_sets_take_turns(void **state)
{
    (void)state;
    struct bulk b;
    struct body_pool *p;
    struct why why = {0};
    bulk_init(&b, 8, 2); /* four a client: two bulks of each set */
    b.documents[1] = b.documents[0];
    b.documents[1].index = "k";
    b.corpus.n_documents = 2;
    b.config.n_clients = 2;
    check_ok(bulk_make(&b, &p, &why), why);
    static const char order[2][5] = {"ikik", "kiki"};
    for (uint32_t client = 0; client < 2; client++) {
        struct body_list list = body_of(p, client);
        assert_int_equal(list.n, 4);
        for (uint32_t i = 0; i < 4; i++) /* {"index":{"_index":"?" */
            assert_int_equal(list.items[i].request.body[20], order[client][i]);
    }
    bulk_free(&b, p);
}

static void body_make_takes_requests_as_they_are(void **state)
{
    (void)state;
    struct plan_request requests[] = {
        {.method = "GET", .path = "/a"},
        {.method = "HEAD", .path = "/b"},
        {.method = "POST", .path = "/c", .body = "{\"q\":1}"}};
    const struct plan_task task = {.name = "find",
                                   .kind = PLAN_REQUESTS,
                                   .requests = requests,
                                   .n_requests = 3};
    struct body_pool *p;
    struct why why = {0};
    static const char *const heads[] = {
        "GET /a HTTP/1.1\r\nHost: h:1\r\n\r\n",
        "HEAD /b HTTP/1.1\r\nHost: h:1\r\n\r\n",
        ("POST /c HTTP/1.1\r\nHost: h:1\r\nContent-Type: "
         "application/json\r\nContent-Length: 7\r\n\r\n")};
    check_ok(body_make(&p, NULL, &task, &config, &why), why);
    struct body_list list = body_of(p, 2);
    assert_int_equal(list.n, 3);
    assert_int_equal(list.own, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct engine_request *r = &list.items[i].request;
        assert_int_equal(r->head_bytes, strlen(heads[i]));
        assert_memory_equal(r->head, heads[i], r->head_bytes);
        assert_int_equal(r->expects_no_body, i == 1);
        assert_int_equal(list.items[i].docs, 0);
    }
    assert_memory_equal(list.items[2].request.body, "{\"q\":1}", 7);
    body_free(p);
}

static void body_make_one_takes_any_bytes(void **state)
{
    (void)state;
    static const char bytes[] = "a\0b\n";
    const struct plan_request request = {
        .method = "PUT", .path = "/x", .body = bytes};
    struct body_config one = config;
    struct body_pool *p;
    struct why why = {0};
    one.docs = 2;
    one.headers = "content-type: text/plain\r\nHost: other\r\n";
    check_ok(body_make_one(&p, &request, 4, &one, &why), why);
    const struct body *body = &body_of(p, 3).items[0];
    static const char head[] = "PUT /x HTTP/1.1\r\ncontent-type: "
                               "text/plain\r\nHost: other\r\nContent-Length: "
                               "4\r\n\r\n";
    assert_int_equal(body->request.head_bytes, strlen(head));
    assert_memory_equal(body->request.head, head, strlen(head));
    assert_memory_equal(body->request.body, bytes, 4);
    assert_int_equal(body->docs, 2);
    body_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_make_slices_the_corpus_by_client),
        cmocka_unit_test(body_make_writes_a_head_for_each_body),
        cmocka_unit_test(body_make_shares_a_corpus_that_is_small),
        cmocka_unit_test(body_make_stays_within_its_memory),
        cmocka_unit_test(body_make_sends_from_the_mapping),
        cmocka_unit_test(body_make_leaves_others_their_clients),
        cmocka_unit_test(body_make_takes_a_part_of_each_slice),
        cmocka_unit_test(body_make_takes_sizes_in_turn),
        cmocka_unit_test(body_make_sends_the_tasks_headers),
        cmocka_unit_test(body_make_repeats_a_few),
        cmocka_unit_test(body_make_gives_ids_where_they_conflict),
        cmocka_unit_test(body_make_lets_document_sets_take_turns),
        cmocka_unit_test(body_make_takes_requests_as_they_are),
        cmocka_unit_test(body_make_one_takes_any_bytes)};
    folder_make(cache_dir);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove(cache_dir);
    return failed;
}
