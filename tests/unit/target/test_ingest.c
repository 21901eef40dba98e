#include <stdio.h>
#include <stdlib.h>

#include "target/ingest.h"
#include "target/item.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

struct ingestion {
    struct world w;
    struct ingest in;
    struct reply reply;
    char *text;
    const char *json; /* of the reply, "took" set to 0 */
};

static struct ingestion begin(uint64_t heap_bytes)
{
    struct ingestion i = {.w = world_open(heap_bytes)};
    i.in = (struct ingest){.mutator = i.w.m,
                           .pages = i.w.pages,
                           .catalog = catalog_new(),
                           .id_seed = 1};
    i.text = malloc(MB);
    assert_non_null(i.in.catalog);
    assert_non_null(i.text);
    return i;
}

static void end(struct ingestion *i)
{
    catalog_free(i->in.catalog);
    free(i->text);
    world_close(&i->w);
}

/* Send text in slices of step bytes to path. */
static void send_bulk(struct ingestion *i, const char *path, const char *text,
                      size_t step)
{
    struct body b;
    struct route route = route_of(HTTP1_POST, path, strlen(path));
    body_init(&b, 1024);
    world_sliced(&i->w, &b, text, strlen(text), step);
    assert_int_equal(route.kind, ROUTE_BULK);
    assert_true(ingest_bulk(&i->in, &b, &route, &i->reply, false));
    body_release(&b, i->w.m);
    body_fini(&b);
    (void)world_reply(&i->w, &i->reply, i->text, MB);
    char *json = i->text + (world_json(i->text) - i->text);
    if (!strncmp(json, "{\"took\":", 8)) {
        size_t digits = strspn(json + 8, "0123456789");
        json[8] = '0';
        memmove(json + 9, json + 8 + digits, strlen(json + 8 + digits) + 1);
    }
    i->json = json;
}

static void drop_reply(struct ingestion *i)
{
    reply_clear(&i->reply, i->w.pages, i->w.m);
    reply_fini(&i->reply);
}

/* Whatever the slices, and whether or not each line is copied. */
static void expect(const char *path, const char *text, unsigned status,
                   const char *json)
{
    size_t len = strlen(text);
    for (size_t step = 1; step <= 2 * (len + 1); step++) {
        struct ingestion i = begin(2 * MB);
        i.in.parse_work = step > len + 1;
        send_bulk(&i, path, text, step > len + 1 ? step - len - 1 : step);
        assert_int_equal(i.reply.status, status);
        assert_string_equal(i.json, json);
        drop_reply(&i);
        end(&i);
    }
}

/* The whole answer, literally, whatever the slices. */
static void ingest_answers_in_elasticsearchs_shape(void **state)
{
    (void)state;
    expect("/geo/t/_bulk",
           "{\"index\":{\"_id\":\"1\"}}\n{\"name\":\"x\"}\n"
           "{\"create\":{\"_index\":\"other\",\"_type\":\"u\",\"_id\":\"2\"}}\n"
           "{}\n"
           "\n"
           "{\"update\":{\"_id\":\"3\"}}\n{\"doc\":{}}\n"
           "{\"delete\":{\"_id\":\"4\"}}\n",
           200,
           "{\"took\":0,\"errors\":false,\"items\":["
           "{\"index\":{\"_index\":\"geo\",\"_type\":\"t\",\"_id\":\"1\","
           "\"_version\":1,\"result\":\"created\",\"_shards\":{\"total\":1,"
           "\"successful\":1,\"failed\":0},\"status\":201}},"
           "{\"create\":{\"_index\":\"other\",\"_type\":\"u\",\"_id\":\"2\","
           "\"_version\":1,\"result\":\"created\",\"_shards\":{\"total\":1,"
           "\"successful\":1,\"failed\":0},\"status\":201}},"
           "{\"update\":{\"_index\":\"geo\",\"_type\":\"t\",\"_id\":\"3\","
           "\"_version\":2,\"result\":\"updated\",\"_shards\":{\"total\":1,"
           "\"successful\":1,\"failed\":0},\"status\":200}},"
           "{\"delete\":{\"_index\":\"geo\",\"_type\":\"t\",\"_id\":\"4\","
           "\"_version\":2,\"result\":\"deleted\",\"_shards\":{\"total\":1,"
           "\"successful\":1,\"failed\":0},\"status\":200}}]}");
}

static void malformed_documents_fail_item_by_item(void **state)
{
    (void)state;
    expect("/geo/_bulk",
           "{\"index\":{\"_id\":\"1\"}}\n{\"a\":}\n"
           "{\"index\":{\"_id\":\"2\"}}\n[1]\n"
           "{\"index\":{\"_id\":\"3\"}}\n \n",
           200,
           "{\"took\":0,\"errors\":true,\"items\":["
           "{\"index\":{\"_index\":\"geo\",\"_type\":\"_doc\",\"_id\":\"1\","
           "\"status\":400,\"error\":{\"type\":\"mapper_parsing_exception\","
           "\"reason\":\"failed to parse\",\"caused_by\":{\"type\":"
           "\"json_parse_exception\",\"reason\":\"unexpected character at byte "
           "5\"}}}},"
           "{\"index\":{\"_index\":\"geo\",\"_type\":\"_doc\",\"_id\":\"2\","
           "\"status\":400,\"error\":{\"type\":\"mapper_parsing_exception\","
           "\"reason\":\"Malformed content, must start with an object\"}}},"
           "{\"index\":{\"_index\":\"geo\",\"_type\":\"_doc\",\"_id\":\"3\","
           "\"status\":400,\"error\":{\"type\":\"mapper_parsing_exception\","
           "\"reason\":\"failed to parse, document is empty\"}}}]}");
}

#define ERROR(type, reason)                                                    \
    "{\"error\":{\"root_cause\":[{\"type\":\"" type "\",\"reason\":\"" reason  \
    "\"}],\"type\":\"" type "\",\"reason\":\"" reason "\"},\"status\":400}"

static void a_malformed_request_is_refused_as_a_whole(void **state)
{
    (void)state;
    expect("/geo/_bulk", "", 400,
           ERROR("parse_exception", "request body is required"));
    expect("/geo/_bulk", "{\"index\":{}}\n{}", 400,
           ERROR("illegal_argument_exception",
                 "The bulk request must be terminated by a newline [\\\\n]"));
    expect("/geo/_bulk", "\n\n", 400,
           ERROR("action_request_validation_exception",
                 "Validation Failed: 1: no requests added;"));
    expect("/geo/_bulk", "{\"index\":{}}\n", 400,
           ERROR("action_request_validation_exception",
                 "Validation Failed: 1: source is missing;"));
    expect("/_bulk", "{\"index\":{}}\n{}\n", 400,
           ERROR("action_request_validation_exception",
                 "Validation Failed: 1: index is missing;"));
    expect("/geo/_bulk", "{\"index\":{}}\n{}\nnonsense\n{}\n", 400,
           ERROR("illegal_argument_exception",
                 "Malformed action/metadata line [3], expected START_OBJECT "
                 "but found [VALUE_NULL]"));
    expect("/geo/_bulk", "{\"index\":{\"x\":\"y\"}}\n{}\n", 400,
           ERROR("illegal_argument_exception",
                 "Action/metadata line [1] contains an unknown parameter [x]"));
}

static void documents_of_a_refused_request_do_not_count(void **state)
{
    (void)state;
    struct ingestion i = begin(2 * MB);
    send_bulk(&i, "/geo/_bulk",
              "{\"index\":{}}\n{}\n{\"index\":{}}\n{\nx\n{}\n", 7);
    assert_int_equal(i.reply.status, 400);
    assert_int_equal(i.reply.docs, 0);
    assert_int_equal(i.reply.docs_failed, 0);
    drop_reply(&i);
    end(&i);
}

static void documents_are_counted_by_their_items(void **state)
{
    (void)state;
    struct ingestion i = begin(2 * MB);
    send_bulk(&i, "/geo/_bulk",
              "{\"index\":{}}\n{}\n{\"index\":{}}\n{\n{\"delete\":{}}\n", 5);
    assert_int_equal(i.reply.status, 200);
    assert_int_equal(i.reply.docs, 2);
    assert_int_equal(i.reply.docs_failed, 1);
    drop_reply(&i);
    end(&i);
}

static void a_bulk_makes_the_indices_it_names(void **state)
{
    (void)state;
    struct ingestion i = begin(2 * MB);
    send_bulk(&i, "/geo/_bulk",
              "{\"index\":{}}\n{}\n{\"index\":{\"_index\":\"other\"}}\n{}\n",
              99);
    assert_true(catalog_has(i.in.catalog, "geo"));
    assert_true(catalog_has(i.in.catalog, "other"));
    assert_int_equal(catalog_size(i.in.catalog), 2);
    drop_reply(&i);
    end(&i);
}

static void a_bad_index_name_fails_its_items_only(void **state)
{
    (void)state;
    struct ingestion i = begin(2 * MB);
    send_bulk(&i, "/geo/_bulk",
              "{\"index\":{\"_index\":\"Geo\",\"_id\":\"1\"}}\n{}\n"
              "{\"index\":{\"_index\":\"Geo\",\"_id\":\"2\"}}\n{}\n"
              "{\"index\":{}}\n{}\n",
              99);
    assert_int_equal(i.reply.docs, 1);
    assert_int_equal(i.reply.docs_failed, 2);
    assert_non_null(
        strstr(i.json, "\"error\":{\"type\":\"invalid_index_name_exception\","
                       "\"reason\":\"Invalid index name\",\"caused_by\":{"
                       "\"type\":\"illegal_argument_exception\",\"reason\":"
                       "\"must be lowercase\"}}"));
    drop_reply(&i);
    end(&i);
}

static void names_of_the_url_are_escaped(void **state)
{
    (void)state;
    struct ingestion i = begin(2 * MB);
    send_bulk(&i, "/geo/a%22b/_bulk", "{\"index\":{\"_id\":\"1\"}}\n{}\n", 99);
    assert_non_null(strstr(i.json, "\"_type\":\"a\\\"b\""));
    drop_reply(&i);
    end(&i);
}

/* 20 characters of the URL-safe alphabet, different for each document. */
static void documents_without_an_id_get_their_own(void **state)
{
    (void)state;
    uint64_t counter = 0;
    char first[21] = "", second[21] = "", other[21] = "";
    item_make_id(&counter, 1, first);
    item_make_id(&counter, 1, second);
    counter = 0;
    item_make_id(&counter, 2, other);
    assert_int_equal(strspn(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq"
                                   "rstuvwxyz0123456789-_"),
                     20);
    assert_string_not_equal(first, second);
    assert_string_not_equal(first, other);
}

/* 10,000 documents: the answer of 1.4 MB spans more than eighty pages. */
static void a_bulk_of_ten_thousand_is_answered_whole(void **state)
{
    (void)state;
    struct ingestion i = begin(16 * MB);
    char *text = malloc(MB), *reply = malloc(4 * MB);
    size_t n = 0;
    assert_non_null(text);
    assert_non_null(reply);
    for (int d = 0; d < 10000; d++)
        n += (size_t)sprintf(text + n, "{\"index\":{\"_id\":\"%05d\"}}\n{}\n",
                             d);
    struct body b;
    struct route route = route_of(HTTP1_POST, "/g/_bulk", 8);
    body_init(&b, 1024);
    world_sliced(&i.w, &b, text, n, 8192);
    assert_true(ingest_bulk(&i.in, &b, &route, &i.reply, false));
    body_release(&b, i.w.m);
    body_fini(&b);
    assert_int_equal(i.reply.docs, 10000);
    assert_true(i.reply.n_pages > 80);
    /* Each id once and in order; not by strstr, which sanitizers slow down. */
    int k = 0;
    for (const char *at = world_reply(&i.w, &i.reply, reply, 4 * MB); *at; at++)
        if (*at == '_' && !strncmp(at, "_id\":\"", 6))
            assert_int_equal(strtol(at + 6, NULL, 10), k++);
    assert_int_equal(k, 10000);
    drop_reply(&i);
    free(text);
    free(reply);
    end(&i);
}

/* With every amount of room left, a bulk is answered or says that the heap is
 * full, and all can be released. */
static void ingest_unwinds_at_every_allocation(void **state)
{
    (void)state;
    unsigned oom = 0, ok = 0;
    for (uint64_t left = 0; left < 17000; left += left < 256 ? 8 : 256) {
        struct ingestion i = begin(2 * MB);
        struct body b;
        struct route route = route_of(HTTP1_POST, "/g/_bulk", 8);
        body_init(&b, 1024);
        world_sliced(&i.w, &b, "{\"index\":{}}\n{\"a\":1}\n", 21, 5);
        heap_ref ballast = world_fill(&i.w, left);
        if (ingest_bulk(&i.in, &b, &route, &i.reply, false))
            ok++;
        else
            oom++;
        drop_reply(&i);
        body_release(&b, i.w.m);
        body_fini(&b);
        heap_release(i.w.m, ballast);
        end(&i);
    }
    /* A page of 16,400 and a copied line of 32 are needed at once. */
    assert_true(oom > 32);
    assert_true(ok >= 1);
}

/* Allocated while text is ingested in one slice. */
static uint64_t allocated(const char *text, uint32_t parse_work)
{
    struct ingestion i = begin(2 * MB);
    struct heap_stats s;
    i.in.parse_work = parse_work;
    send_bulk(&i, "/geo/_bulk", text, strlen(text));
    heap_stats(i.w.heap, NULL, &s);
    drop_reply(&i);
    end(&i);
    return s.alloc_bytes;
}

/* An action of 12 bytes: its copy al(16 + 12) = 32 and a list, 24. A document
 * of 100: copy 120, list 24, array 56, strings at 0 and 64 of 56 each. */
static void parse_work_leaves_garbage_of_every_line(void **state)
{
    (void)state;
    char text[128];
    int n =
        snprintf(text, sizeof text, "{\"index\":{}}\n{\"a\":\"%092d\"}\n", 0);
    assert_int_equal(n, 13 + 101);
    assert_int_equal(allocated(text, 1) - allocated(text, 0),
                     32 + 24 + 120 + 24 + 56 + 2 * 56);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ingest_answers_in_elasticsearchs_shape),
        cmocka_unit_test(malformed_documents_fail_item_by_item),
        cmocka_unit_test(a_malformed_request_is_refused_as_a_whole),
        cmocka_unit_test(documents_of_a_refused_request_do_not_count),
        cmocka_unit_test(documents_are_counted_by_their_items),
        cmocka_unit_test(a_bulk_makes_the_indices_it_names),
        cmocka_unit_test(a_bad_index_name_fails_its_items_only),
        cmocka_unit_test(names_of_the_url_are_escaped),
        cmocka_unit_test(documents_without_an_id_get_their_own),
        cmocka_unit_test(a_bulk_of_ten_thousand_is_answered_whole),
        cmocka_unit_test(ingest_unwinds_at_every_allocation),
        cmocka_unit_test(parse_work_leaves_garbage_of_every_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
