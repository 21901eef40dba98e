/* libcurl's memory, asked for through functions of its own that hand it out. */
#include <stdlib.h>

#include "load/curl.h"
#include "tests/lib/check.h"

static size_t kept(const struct curl_pool *pool)
{
    size_t n = 0;
    for (size_t i = 0; i < CURL_POOL_CLASSES; i++)
        n += pool->unused[i] != NULL;
    return n;
}

/* libcurl's copy of n letters. */
static char *copy_of(size_t n)
{
    char *letters = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        letters[i] = (char)('a' + i % 26);
    letters[n] = 0;
    char *copy = curl_easy_escape(NULL, letters, (int)n);
    assert_string_equal(copy, letters);
    free(letters);
    return copy;
}

static void curl_pool_gives_what_was_freed_last(void **state)
{
    (void)state;
    struct curl_pool pool = {0};
    assert_null(curl_pool_use(&pool));
    char *first = copy_of(100);
    curl_free(first);
    assert_true(kept(&pool) > 0);
    char *second = copy_of(100);
    assert_ptr_equal(second, first);
    curl_free(second);
    assert_ptr_equal(curl_pool_use(NULL), &pool);
    curl_pool_fini(&pool);
    assert_int_equal(kept(&pool), 0);
}

static void curl_pool_keeps_nothing_while_it_is_not_used(void **state)
{
    (void)state;
    struct curl_pool pool = {0};
    (void)curl_pool_use(&pool);
    char *inside = copy_of(3);
    (void)curl_pool_use(NULL);
    curl_free(inside);
    curl_free(copy_of(3));
    curl_pool_fini(&pool);
    assert_int_equal(kept(&pool), 0);
}

/* Blocks of one pool may be freed in the use of another. */
static void curl_pool_takes_what_others_made(void **state)
{
    (void)state;
    struct curl_pool a = {0}, b = {0};
    (void)curl_pool_use(&a);
    char *made = copy_of(40);
    (void)curl_pool_use(&b);
    curl_free(made);
    assert_ptr_equal(copy_of(40), made);
    curl_free(made);
    (void)curl_pool_use(NULL);
    curl_pool_fini(&a);
    curl_pool_fini(&b);
}

/* Sizes around the classes' edges, which grow on the way; above 512 KiB nothing
 * is kept. */
static void curl_pool_holds_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,    15,    16,    17,     1023,   1024,
                                   1025, 16385, 65536, 262145, 524288, 700000};
    struct curl_pool pool = {0};
    (void)curl_pool_use(&pool);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        curl_free(copy_of(sizes[i]));
    size_t n = kept(&pool);
    curl_free(copy_of(700000));
    assert_int_equal(kept(&pool), n);
    (void)curl_pool_use(NULL);
    curl_pool_fini(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curl_pool_gives_what_was_freed_last),
        cmocka_unit_test(curl_pool_keeps_nothing_while_it_is_not_used),
        cmocka_unit_test(curl_pool_takes_what_others_made),
        cmocka_unit_test(curl_pool_holds_any_size),
    };
    if (!curl_pool_global())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    curl_global_cleanup();
    return failed;
}
