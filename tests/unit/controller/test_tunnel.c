#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/tunnel.h"
#include "tests/lib/check.h"

static char dir[64], program[96], made[96];

/* A folder with an ssh of ours is all of PATH. */
static void make_ssh(const char *script)
{
    FILE *f = fopen(program, "w");
    assert_non_null(f);
    assert_true(fputs(script, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(program, 0700), 0);
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/pitwall-tunnel-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(program, sizeof program, "%s/ssh", dir);
    (void)snprintf(made, sizeof made, "%s/made", dir);
    return setenv("PATH", dir, 1);
}

static int end(void **state)
{
    (void)state;
    (void)unlink(program);
    (void)unlink(made);
    return rmdir(dir);
}

/* Makes the socket of -L, leaves its pid and words in the file made, and waits.
 */
static const char waits[] = "#!/bin/sh\n"
                            "echo $$ \"$@\" >\"${0%/*}/made\"\n"
                            "while [ \"$1\" != -L ]; do shift; done\n"
                            ": >\"${2%%:*}\"\n"
                            "exec /bin/sleep 60\n";

/* What was left in made, once it is whole. */
static pid_t read_made(char *words, size_t size)
{
    uint64_t due_ns = clock_mono_ns() + 20 * NS_PER_S;
    char *rest = NULL;
    words[0] = '\0';
    while (!strchr(words, '\n') && clock_mono_ns() < due_ns) {
        FILE *f = fopen(made, "r");
        if (f && !fgets(words, (int)size, f))
            words[0] = '\0';
        if (f)
            (void)fclose(f);
    }
    pid_t pid = (pid_t)strtol(words, &rest, 10);
    memmove(words, rest, strlen(rest) + 1);
    return pid;
}

static void wait_for_death(struct tunnel *tunnel)
{
    uint64_t due_ns = clock_mono_ns() + 20 * NS_PER_S;
    while (tunnel_alive(tunnel) && clock_mono_ns() < due_ns)
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    assert_false(tunnel_alive(tunnel));
}

static void
a_tunnel_is_an_ssh_that_is_started_again_after_its_death(void **state)
{
    struct tunnel *tunnel = NULL;
    struct why why = {0};
    char words[1024], socket[128];
    (void)state;
    make_ssh(waits);
    check_ok(tunnel_open(&tunnel, "ssh://op@srv:2222/run/a.sock", &why), why);
    (void)snprintf(socket, sizeof socket, "%s", tunnel_url(tunnel) + 6);
    assert_int_equal(access(socket, F_OK), 0);
    pid_t first = read_made(words, sizeof words);
    assert_non_null(strstr(words, " -o BatchMode=yes "));
    assert_non_null(strstr(words, ":/run/a.sock -p 2222 -- op@srv\n"));
    assert_int_equal(kill(first, SIGKILL), 0);
    wait_for_death(tunnel);
    (void)unlink(made);
    check_ok(tunnel_restart(tunnel, &why), why);
    assert_true(read_made(words, sizeof words) != first);
    assert_true(tunnel_alive(tunnel));
    tunnel_close(tunnel);
    assert_int_equal(access(socket, F_OK), -1);
}

static void what_ssh_says_last_is_why_there_is_no_tunnel(void **state)
{
    struct tunnel *tunnel = NULL;
    struct why why = {0};
    (void)state;
    check_err(tunnel_open(&tunnel, "ssh://srv", &why), ERR_NOTFOUND);
    check_says(why, "ssh://srv: no program ssh in PATH");
    make_ssh("#!/bin/sh\necho 1 >&2; echo Permission denied >&2; exit 255\n");
    check_err(tunnel_open(&tunnel, "ssh://srv", &why), ERR_REFUSED);
    check_says(why, "ssh://srv: ssh ended: Permission denied");
    assert_null(tunnel);
}

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
        cmocka_unit_test_setup_teardown(
            a_tunnel_is_an_ssh_that_is_started_again_after_its_death, begin,
            end),
        cmocka_unit_test_setup_teardown(
            what_ssh_says_last_is_why_there_is_no_tunnel, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
