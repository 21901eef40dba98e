/* pitwall-load as its user meets it: output, exit status, one line of error. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/json.h"
#include "tests/lib/check.h"
#include "tests/unit/load/server.h"

static const char *program;
static char out[65536], err[4096];

static void read_to_end(int fd, char *buf, size_t size)
{
    size_t len = 0;
    ssize_t n;
    while ((n = read(fd, buf + len, size - 1 - len)) > 0)
        len += (size_t)n;
    buf[len] = 0;
    (void)close(fd);
}

/* Run it with up to eight arguments; a signal after ms milliseconds, if any. */
static int run_signal(const char *const *args, int number, unsigned ms)
{
    int status, outs[2], errs[2];
    const char *argv[12] = {program};
    for (size_t i = 0; args[i]; i++)
        argv[i + 1] = args[i];
    assert_int_equal(pipe(outs), 0);
    assert_int_equal(pipe(errs), 0);
    pid_t pid = fork();
    if (!pid) {
        (void)dup2(outs[1], 1);
        (void)dup2(errs[1], 2);
        for (int fd = 3; fd < 64; fd++)
            (void)close(fd);
        (void)execv(program, (char *const *)(uintptr_t)argv);
        _exit(98);
    }
    (void)close(outs[1]);
    (void)close(errs[1]);
    if (number) {
        (void)usleep(ms * 1000);
        (void)kill(pid, number);
    }
    read_to_end(outs[0], out, sizeof out);
    read_to_end(errs[0], err, sizeof err);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define RUN(...) run_signal((const char *const[]){__VA_ARGS__, NULL}, 0, 0)

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static struct server_reply good(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 200, "{\"errors\":false}"};
}

static char url[128];

static struct server *serve(server_script *script, const char *path)
{
    struct server *s = server_start(script);
    (void)snprintf(url, sizeof url, "%s%s", server_url(s), path);
    return s;
}

static void program_prints_a_summary(void **state)
{
    (void)state;
    struct server *s = serve(good, "/");
    assert_int_equal(RUN("-c", "2", "-d", "200ms", "-H", "X: y", url), 0);
    contains(out, "url: raw-request, 2 clients, closed loop\n");
    contains(out, "  requests   ");
    contains(out, "       p50        p90        p99      p99.9     p99.99");
    contains(out, "driver: raw engine, 2 threads, ");
    assert_string_equal(err, "");
    contains(server_heads(s), "GET / HTTP/1.1\r\nHost: 127.0.0.1:");
    contains(server_heads(s), "X: y\r\n");
    server_stop(s);
}

static void program_prints_json(void **state)
{
    (void)state;
    struct server *s = serve(good, "/");
    struct jv *v;
    struct why why = {0};
    assert_int_equal(RUN("-d", "300ms", "-R", "100/s", "--json", url), 0);
    check_ok(jv_parse(&v, "out", out, strlen(out), &why), why);
    const struct jv *task = jv_at(jv_get(v, "tasks"), 0);
    /* 0, 10, ... 290 ms: 30, started or not */
    check_near(jv_number(jv_get(task, "ops"), 0) +
                   jv_number(jv_get(task, "dropped"), 0),
               30, 0);
    check_near(jv_number(jv_get(task, "offered_s"), 0), 100, 0);
    jv_free(v);
    server_stop(s);
}

/* The log of every second, which test_hdr_log.c reads in full. */
static void program_writes_an_hdr_log(void **state)
{
    (void)state;
    struct server *s = serve(good, "/");
    char path[] = "/tmp/pitwall-hdr-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(RUN("-d", "1200ms", "--hdr", path, url), 0);
    server_stop(s);
    read_to_end(fd, out, sizeof out);
    contains(out, "#[Histogram log format version 1.3]\n#[BaseTime: 1");
    contains(out, "\nTag=url.latency,0.000,1.000,");
    contains(out, "\nTag=url.service,0.000,1.000,");
    contains(out, "\nTag=url.latency,1.000,0.2");
    contains(out, ",HISTFAAA");
    (void)unlink(path);
    assert_int_equal(RUN("--hdr", "/no/where", url), 2);
    contains(err, "pitwall-load: --hdr /no/where: No such file");
}

static void program_drives_a_track(void **state)
{
    (void)state;
    struct server *s = serve(good, "");
    assert_int_equal(RUN("--track", SHIPPED_TRACKS "/geonames.json",
                         "--track-param", "corpus_docs=4000", "--test-mode",
                         "-d", "200ms", "--target", url),
                     0);
    contains(out, "index-append: bulk, 8 clients, closed loop\n");
    contains(server_heads(s), "DELETE /geonames HTTP/1.1\r\n");
    contains(server_heads(s), "PUT /geonames HTTP/1.1\r\n");
    contains(server_heads(s), "POST /_bulk HTTP/1.1\r\n");
    server_stop(s);
}

static struct server_reply refuses(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 500, "no"};
}

static void program_fails_in_one_line(void **state)
{
    (void)state;
    struct server *s = serve(refuses, "");
    assert_int_equal(
        RUN("--track", SHIPPED_TRACKS "/geonames.json", "--target", url), 1);
    assert_string_equal(err, "pitwall-load: delete-index: DELETE /geonames: "
                             "answered 500: no\n");
    assert_string_equal(out, "");
    server_stop(s);
    assert_int_equal(RUN("-d", "1s", url), 1); /* nobody there any more */
    contains(err, "pitwall-load: connect 127.0.0.1:");
    contains(err, ": Connection refused\n");
    assert_int_equal(RUN("--engine", "raw", "https://127.0.0.1/"), 2);
    contains(err, "--engine raw: speaks plain HTTP/1.1 alone, and an https:// "
                  "URL needs --engine curl\n");
    assert_int_equal(RUN("--track", "/no/such.json"), 2);
    contains(err, "pitwall-load: /no/such.json: No such file");
    assert_int_equal(
        RUN("--track", SHIPPED_TRACKS "/geonames.json", "--challenge", "x"), 2);
    contains(err, "there is no challenge \"x\"; it has: append-no-conflicts, "
                  "append-no-conflicts-index-only, append-and-search, "
                  "append-and-info\n");
    /* by its name, as pitwall takes it */
    assert_int_equal(RUN("--track", "geonames", "--challenge", "x"), 2);
    contains(err, "there is no challenge \"x\"");
    assert_int_equal(RUN("--nonsense"), 2);
}

static void program_answers_ctrl_c_with_what_it_has(void **state)
{
    (void)state;
    struct server *s = serve(good, "/");
    const char *const args[] = {"-d", "1h", url, NULL};
    assert_int_equal(run_signal(args, SIGINT, 300), 130);
    contains(out, "  requests   ");
    assert_string_equal(err, "pitwall-load: interrupted\n");
    server_stop(s);
}

static void program_makes_a_corpus(void **state)
{
    (void)state;
    static char first[sizeof out];
    char path[] = "/tmp/pitwall-corpus-XXXXXX";
    assert_int_equal(RUN("corpus", "make", "geonames", "--docs", "100"), 0);
    memcpy(first, out, sizeof out);
    size_t lines = 0;
    for (const char *c = out; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 100);
    assert_memory_equal(out, "{\"geonameid\": 1000000,", 22);
    int fd = mkstemp(path);
    assert_int_equal(
        RUN("corpus", "make", "geonames", "--docs", "100", "-o", path), 0);
    read_to_end(fd, out, sizeof out);
    assert_string_equal(out, first);
    (void)unlink(path);
    assert_int_equal(
        RUN("corpus", "make", "geonames", "--docs", "100", "--seed", "2"), 0);
    assert_string_not_equal(out, first);
    assert_int_equal(
        RUN("corpus", "make", "geonames", "--docs", "5", "-o", "/no/where"), 2);
    contains(err, "pitwall-load: /no/where: No such file");
    assert_int_equal(RUN("corpus", "make", "geonames", "--docs", "100000", "-o",
                         "/dev/full"),
                     1);
    contains(err, "/dev/full: No space left");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_prints_a_summary),
        cmocka_unit_test(program_prints_json),
        cmocka_unit_test(program_writes_an_hdr_log),
        cmocka_unit_test(program_drives_a_track),
        cmocka_unit_test(program_fails_in_one_line),
        cmocka_unit_test(program_answers_ctrl_c_with_what_it_has),
        cmocka_unit_test(program_makes_a_corpus)};
    if (argc != 2)
        return 2;
    program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
