#include "load/address.h"
#include "tests/lib/check.h"

static void parses(const char *url, const char *text, const char *host,
                   const char *path)
{
    struct address a;
    struct why why = {0};
    check_ok(address_parse(&a, url, true, &why), why);
    assert_string_equal(a.text, text);
    assert_string_equal(a.host, host);
    assert_string_equal(a.path, path);
}

static void refuses(const char *url, const char *part)
{
    struct address a;
    struct why why = {0};
    check_err(address_parse(&a, url, true, &why), ERR_USAGE);
    check_says(why, part);
}

static void address_parse_takes_a_url_apart(void **state)
{
    (void)state;
    parses("http://127.0.0.1", "127.0.0.1:80", "127.0.0.1", "/");
    parses("http://127.0.0.1:9200/", "127.0.0.1:9200", "127.0.0.1:9200", "/");
    parses("http://127.0.0.1:80/a/b?c=d#e", "127.0.0.1:80", "127.0.0.1",
           "/a/b?c=d");
    parses("http://127.0.0.1:9?q", "127.0.0.1:9", "127.0.0.1:9", "/?q");
    parses("http://[::1]:9200/x", "[::1]:9200", "[::1]:9200", "/x");
    parses("http://[::1]", "[::1]:80", "[::1]", "/");
    parses("https://127.0.0.1/x", "127.0.0.1:443", "127.0.0.1", "/x");
    parses("https://127.0.0.1:80", "127.0.0.1:80", "127.0.0.1:80", "/");
}

static void address_parse_leaves_a_name_to_the_proxy(void **state)
{
    (void)state;
    struct address a;
    struct why why = {0};
    check_ok(address_parse(&a, "https://no.such.invalid/x", false, &why), why);
    assert_true(a.tls);
    assert_int_equal(a.len, 0);
    assert_string_equal(a.name, "no.such.invalid");
    assert_string_equal(a.text, "no.such.invalid:443");
}

static void address_parse_says_what_it_accepts(void **state)
{
    (void)state;
    refuses("127.0.0.1:9200", "no http:// or https:// at its beginning; "
                              "accepted: http[s]://HOST[:PORT][/PATH]");
    refuses("ftp://127.0.0.1", "no http:// or https://");
    refuses("", "no http://");
    refuses("http://", "no host");
    refuses("http://:80", "no host");
    refuses("http://127.0.0.1:0", "a port that is none");
    refuses("http://127.0.0.1:65536", "a port that is none");
    refuses("http://127.0.0.1:x", "a port that is none");
    refuses("http://127.0.0.1:", "a port that is none");
    refuses("http://127.0.0.1:123456", "a port that is none");
    refuses("http://[::1", "an unclosed [");
    refuses("http://[::1]x", "a host behind ]");
    refuses("http://me@127.0.0.1", "a user name");
    refuses("http://127.0.0.1/a b", "a blank or control character");
    refuses("http://127.0.0.1/a\r\nX: y", "a blank or control character");
}

static void address_parse_names_the_host_it_cannot_find(void **state)
{
    (void)state;
    struct address a;
    struct why why = {0};
    check_err(address_parse(&a, "http://300.1.2.3.invalid/", true, &why),
              ERR_NOTFOUND);
    check_says(why, "host 300.1.2.3.invalid: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_parse_takes_a_url_apart),
        cmocka_unit_test(address_parse_leaves_a_name_to_the_proxy),
        cmocka_unit_test(address_parse_says_what_it_accepts),
        cmocka_unit_test(address_parse_names_the_host_it_cannot_find)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
