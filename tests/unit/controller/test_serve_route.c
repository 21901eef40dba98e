#include <unistd.h>

#include "controller/listen.h"
#include "controller/serve_route.h"
#include "tests/lib/check.h"

static void a_path_is_exactly_one_page_or_none(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum serve_page page;
        int64_t experiment;
    } cases[] = {
        {"/", SERVE_LIST, 0},
        {"/experiment/3", SERVE_EXPERIMENT, 3},
        {"/experiment/12/progress", SERVE_PROGRESS, 12},
        {"/experiment/12/cells", SERVE_CELLS, 12},
        {"", SERVE_NONE, 0},
        {"//", SERVE_NONE, 0},
        {"/experiment/", SERVE_NONE, 0},
        {"/experiment/3/", SERVE_NONE, 3},
        {"/experiment/3/cells/", SERVE_NONE, 3},
        {"/experiment/-3", SERVE_NONE, 0},
        {"/experiment/3.db", SERVE_NONE, 3},
        {"/../lab.db", SERVE_NONE, 0},
        {"/experiment/../3", SERVE_NONE, 0},
        {"/experiment/9999999999999999", SERVE_NONE, 999999999999999},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct serve_route route = serve_route_of(cases[i].path);
        assert_int_equal(route.page, cases[i].page);
        assert_int_equal(route.experiment, cases[i].experiment);
    }
}

static void a_host_is_a_number_or_localhost(void **state)
{
    (void)state;
    static const char *const good[] = {
        "localhost",  "localhost:7480", "127.0.0.1", "127.0.0.1:7480",
        "10.0.0.5:1", "[::1]:7480",     "[::1]"};
    static const char *const bad[] = {"",
                                      "evil.example",
                                      "evil.example:7480",
                                      "localhost.evil.example",
                                      "127.0.0.1.evil.example",
                                      "127.0.0.1:",
                                      "127.0.0.1:7480:1",
                                      "127.0.0.1:748000",
                                      "127.0.0.1:74a",
                                      "::1",
                                      "[::1",
                                      "[::1]x",
                                      "[127.0.0.1]",
                                      "localhost:7480 ",
                                      "127.1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(serve_route_host(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(serve_route_host(bad[i]));
    assert_false(serve_route_host(NULL));
}

static void a_place_is_a_short_number(void **state)
{
    (void)state;
    size_t place = 0;
    assert_true(serve_route_place("17", &place));
    assert_int_equal(place, 17);
    assert_false(serve_route_place("", &place));
    assert_false(serve_route_place("-1", &place));
    assert_false(serve_route_place("1x", &place));
    assert_false(serve_route_place("1234567", &place));
    assert_false(serve_route_place(NULL, &place));
}

static void listen_open_takes_numbers_only(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",           "7480",           ":7480",
        "127.0.0.1",  "localhost:7480", "127.0.0.1:x",
        "127.0.0.1:", "::1:7480",       "[::1:7480",
        "[]:7480",    "1.2.3.4.5:1"};
    struct why why = {""};
    struct listen at;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(listen_open(bad[i], &at, &why), ERR_USAGE);
        check_says(why, "127.0.0.1:7480 or [::1]:7480");
        assert_int_equal(at.fd, -1);
    }
    check_ok(listen_open("127.0.0.1:0", &at, &why), why);
    assert_true(at.loopback);
    assert_true(!strncmp(at.url, "http://127.0.0.1:", 17));
    /* The same one again is taken. */
    struct listen again;
    at.url[strlen(at.url) - 1] = '\0';
    check_err(listen_open(at.url + strlen("http://"), &again, &why), ERR_BUSY);
    check_says(why, "--listen 127.0.0.1:");
    (void)close(at.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_exactly_one_page_or_none),
        cmocka_unit_test(a_host_is_a_number_or_localhost),
        cmocka_unit_test(a_place_is_a_short_number),
        cmocka_unit_test(listen_open_takes_numbers_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
