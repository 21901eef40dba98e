#include "controller/tunnel.h"
#include "tests/lib/check.h"

static void check_place(const char *url, const char *host, const char *port,
                        const char *path)
{
    struct tunnel_place place;
    struct why why = {0};
    check_ok(tunnel_parse(url, &place, &why), why);
    assert_string_equal(place.host, host);
    assert_string_equal(place.port, port);
    assert_string_equal(place.path, path);
}

static void tunnel_parse_takes_an_ssh_url_apart(void **state)
{
    (void)state;
    check_place("ssh://srv1", "srv1", "", TUNNEL_PATH);
    check_place("ssh://root@srv1.lab", "root@srv1.lab", "", TUNNEL_PATH);
    check_place("ssh://root@10.0.0.1:2222/run/a.sock", "root@10.0.0.1", "2222",
                "/run/a.sock");
    check_place("ssh://op@[fe80::1%eth0]:22/a", "op@[fe80::1%eth0]", "22",
                "/a");
    check_place("ssh://[::1]", "[::1]", "", TUNNEL_PATH);
    assert_true(tunnel_is("ssh://x"));
    assert_false(tunnel_is("ipc:///ssh://x"));
}

/* Whatever ssh, its -L or a configuration's shell could misunderstand. */
static void tunnel_parse_refuses_what_ssh_could_misunderstand(void **state)
{
    static const char *const urls[] = {"ssh://",
                                       "ssh:///a",
                                       "ssh://-oProxyCommand=touch",
                                       "ssh://-oProxyCommand=x@host",
                                       "ssh://root@-oProxyCommand=x",
                                       "ssh://@host",
                                       "ssh://root@",
                                       "ssh://a@b@c",
                                       "ssh://host:0",
                                       "ssh://host:65536",
                                       "ssh://host:",
                                       "ssh://host:22x",
                                       "ssh://host/",
                                       "ssh://host/a:b",
                                       "ssh://ho st",
                                       "ssh://host;id",
                                       "ssh://$(id)",
                                       "ssh://`id`",
                                       "tcp://host"};
    struct tunnel_place place;
    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct why why = {0};
        if (tunnel_parse(urls[i], &place, &why) != ERR_USAGE)
            fail_msg("%s: taken as \"%s\" \"%s\" \"%s\"", urls[i], place.host,
                     place.port, place.path);
        check_says(why, "accepted: ssh://");
    }
}

static void tunnel_parse_bounds_host_and_path(void **state)
{
    struct tunnel_place place;
    struct why why = {0};
    char url[600] = "ssh://";
    (void)state;
    memset(url + 6, 'h', 319);
    check_ok(tunnel_parse(url, &place, &why), why);
    url[6 + 319] = 'h';
    check_err(tunnel_parse(url, &place, &why), ERR_USAGE);
    memset(url, 0, sizeof url);
    (void)strcpy(url, "ssh://h/");
    memset(url + 8, 'p', 106); /* "/" and 106: 107, as a socket's path may be */
    check_ok(tunnel_parse(url, &place, &why), why);
    url[8 + 106] = 'p';
    check_err(tunnel_parse(url, &place, &why), ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tunnel_parse_takes_an_ssh_url_apart),
        cmocka_unit_test(tunnel_parse_refuses_what_ssh_could_misunderstand),
        cmocka_unit_test(tunnel_parse_bounds_host_and_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
