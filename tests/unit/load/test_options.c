#include "load/options.h"
#include "tests/lib/check.h"

/* Parse a command line of words separated by blanks ('_' stands for one). */
static enum err parse(struct options *o, const char *line, struct why *why)
{
    static char text[1024];
    char *argv[40] = {(char *)(uintptr_t) "pitwall-load"};
    int argc = 1;
    memset(text, 0, sizeof text);
    memcpy(text, line, strlen(line));
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    for (size_t i = 0; i < sizeof text; i++)
        if (text[i] == '_')
            text[i] = ' ';
    return options_parse(o, argc, argv, why);
}

static struct options parsed(const char *line)
{
    struct options o;
    struct why why = {0};
    check_ok(parse(&o, line, &why), why);
    return o;
}

static void refuses(const char *line, const char *part)
{
    struct options o;
    struct why why = {0};
    enum err e = parse(&o, line, &why);
    assert_int_equal(err_exit(e), 2);
    check_says(why, part);
}

static void options_of_a_url(void **state)
{
    (void)state;
    struct options o = parsed(
        "-c 64 -t 2 -d 1500ms -R 100/s --arrival poisson --warmup 2s -H "
        "A:_b --header C:_d -X PUT --body f --json "
        "--requests-per-connection 10 --congestion cubic --memory 1m http://h");
    assert_int_equal(o.mode, OPTIONS_URL);
    assert_string_equal(o.url, "http://h");
    assert_int_equal(o.load.clients, 64);
    assert_int_equal(o.load.threads, 2);
    assert_int_equal(o.load.measure_ns, 1500000000);
    assert_int_equal(o.load.warmup_ns, 2000000000);
    assert_true(o.load.has_warmup && o.load.has_arrival && o.load.poisson);
    check_near(o.load.rate_s, 100, 0);
    assert_string_equal(o.headers, "A: b\r\nC: d\r\n");
    assert_string_equal(o.method, "PUT");
    assert_string_equal(o.body, "f");
    assert_true(o.json);
    assert_int_equal(o.load.requests_per_connection, 10);
    assert_string_equal(o.congestion, "cubic");
    assert_int_equal(o.load.memory_bytes, 1048576);
    o = parsed("http://h");
    assert_int_equal(o.load.clients, 0);
    assert_false(o.load.has_warmup || o.json);
}

static void options_of_a_track(void **state)
{
    (void)state;
    struct options o =
        parsed("--track t.json --challenge c --target http://h --track-param "
               "a=1 --track-param b=x=y -R 5000_docs/s --test-mode");
    assert_int_equal(o.mode, OPTIONS_TRACK);
    assert_string_equal(o.track, "t.json");
    assert_string_equal(o.challenge, "c");
    assert_string_equal(o.url, "http://h");
    assert_int_equal(o.n_params, 2);
    assert_string_equal(o.params[1].name, "b");
    assert_string_equal(o.params[1].value, "x=y");
    assert_string_equal(o.load.rate_unit, "docs");
    assert_true(o.test_mode);
    assert_false(o.few || o.reads);
    assert_null(o.cache);
    assert_int_equal(o.cache_limit_bytes, 17179869184); /* 16g */
    o = parsed("--track t --cache d --cache-limit 2g --provider static --sink "
               "none");
    assert_string_equal(o.cache, "d");
    assert_int_equal(o.cache_limit_bytes, 2147483648);
    assert_true(o.few && o.reads);
    o = parsed("--track t --provider file --sink http");
    assert_false(o.few || o.reads);
}

static void options_of_a_child_and_a_corpus(void **state)
{
    (void)state;
    struct options o = parsed("--child --target http://h --clients=4");
    assert_int_equal(o.mode, OPTIONS_CHILD);
    assert_int_equal(o.load.clients, 4);
    o = parsed("corpus make geonames --docs 100 --seed 5 -o f");
    assert_int_equal(o.mode, OPTIONS_CORPUS);
    assert_string_equal(o.corpus, "geonames");
    assert_int_equal(o.docs, 100);
    assert_int_equal(o.seed, 5);
    assert_string_equal(o.output, "f");
    o = parsed("--child --share 1/2");
    assert_int_equal(o.share.index, 1);
    assert_int_equal(o.share.of, 2);
}

static void options_refusals_name_option_and_value(void **state)
{
    (void)state;
    refuses("", "nothing to do");
    refuses("--cache-limit 1k --track t", "--cache-limit: \"1k\": accepted: ");
    refuses("--provider stat --track t",
            "--provider \"stat\": accepted: file, static");
    refuses("--sink null --track t", "--sink \"null\": accepted: http, none");
    refuses("--cache d http://h", "only with --track");
    refuses("-c 0 http://h", "--clients: \"0\": at least 1");
    refuses("-c x http://h", "--clients: ");
    refuses("-c 10001 http://h", "--clients: ");
    refuses("-t 65 http://h", "--threads: ");
    refuses("-d 10 http://h", "--duration: ");
    refuses("-d 0 http://h", "--duration: \"0\": accepted: above 0, up to 24h");
    refuses("-d 25h http://h", "--duration: \"25h\"");
    refuses("--warmup 25h http://h", "--warmup: ");
    refuses("-R 0/s http://h", "--rate: ");
    refuses("-R 5_MB/s http://h", "--rate: \"5 MB/s\": accepted: 100/s");
    refuses("--arrival uniform http://h", "--arrival \"uniform\": accepted");
    refuses("-H abc http://h", "--header \"abc\": accepted: \"NAME: VALUE\"");
    refuses("-H :x http://h", "--header \":x\"");
    refuses("-H a_b:x http://h", "--header \"a b:x\"");
    refuses("-X G/T http://h", "--method \"G/T\": accepted: letters");
    refuses("--memory 1k http://h", "--memory: \"1k\": accepted: 64k");
    refuses("http://h http://i", "\"http://i\": one argument too many");
    refuses("--track t http://h", "a track's target is given by --target");
    refuses("--track t --body f", "--body and --method: only with a URL");
    refuses("--challenge c http://h", "only with --track");
    refuses("--track-param a http://h", "--track-param \"a\": accepted");
    refuses("--share 1/2 http://h", "--cache: only with --track");
    refuses("--track t --share 2/2", "--share \"2/2\": accepted: K/N");
    refuses("--track t --share 1", "--share \"1\": accepted: K/N");
    refuses("--track t --share 1/65", "N up to 64");
    refuses("--docs 5 http://h", "only for corpus make");
    refuses("corpus make nyc --docs 5", "\"nyc\": unknown; accepted: geonames");
    refuses("corpus make geonames", "--docs N is missing");
    refuses("corpus list", "corpus: accepted: corpus make NAME --docs N");
}

static void options_of_http(void **state)
{
    (void)state;
    struct options o =
        parsed("--engine curl --cacert ca.pem --http2 --proxy "
               "http://p:3128 -k --hdr f.hlog --user Aladdin:open_sesame "
               "https://h");
    assert_int_equal(o.engine, ENGINE_CURL);
    assert_string_equal(o.http.ca_file, "ca.pem");
    assert_string_equal(o.http.proxy, "http://p:3128");
    assert_true(o.http.http2 && o.http.insecure);
    assert_string_equal(o.hdr, "f.hlog");
    /* RFC 7617's own example */
    assert_string_equal(o.headers, "Authorization: Basic "
                                   "QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n");
    o = parsed("--user a: http://h"); /* 61 3a: YTo= */
    assert_string_equal(o.headers, "Authorization: Basic YTo=\r\n");
    o = parsed("http://h");
    assert_int_equal(o.engine, ENGINE_BY_URL);
    assert_int_equal(o.load.threads, 2);
    refuses("--engine wrk http://h", "--engine \"wrk\": accepted: raw, curl");
    refuses("--user secret http://h", "--user: accepted: NAME:PASSWORD");
    refuses("--proxy p:3128 http://h", "--proxy: accepted: http[s]://");
    refuses("--child --hdr f", "--hdr: not with --child");
}

static void options_wipe_a_password(void **state)
{
    (void)state;
    struct options o;
    struct why why = {0};
    char user[] = "me:secret", program[] = "p", option[] = "-u",
         to[] = "http://h";
    char *argv[] = {program, option, user, to, NULL};
    check_ok(options_parse(&o, 4, argv, &why), why);
    assert_string_equal(user, "xxxxxxxxx");
}

static void engine_pick_takes_raw_where_it_can(void **state)
{
    (void)state;
    const struct address plain = {.len = 1}, tls = {.len = 1, .tls = true};
    const struct engine_http none = {0}, http2 = {.http2 = true},
                             proxy = {.proxy = "http://p:1"},
                             ca = {.ca_file = "f"}, any = {.insecure = true};
    const struct engine_ops *ops;
    struct why why = {0};
    check_ok(engine_pick(&ops, ENGINE_BY_URL, &plain, &none, &why), why);
    assert_ptr_equal(ops, &engine_raw);
    check_ok(engine_pick(&ops, ENGINE_CURL, &plain, &none, &why), why);
    assert_ptr_equal(ops, &engine_curl);
    check_ok(engine_pick(&ops, ENGINE_BY_URL, &tls, &any, &why), why);
    assert_ptr_equal(ops, &engine_curl);
    check_ok(engine_pick(&ops, ENGINE_BY_URL, &plain, &proxy, &why), why);
    assert_ptr_equal(ops, &engine_curl);
    check_err(engine_pick(&ops, ENGINE_RAW, &tls, &none, &why), ERR_USAGE);
    check_says(why, "an https:// URL needs --engine curl");
    check_err(engine_pick(&ops, ENGINE_RAW, &plain, &http2, &why), ERR_USAGE);
    check_says(why, "--http2 needs --engine curl");
    check_err(engine_pick(&ops, ENGINE_BY_URL, &plain, &ca, &why), ERR_USAGE);
    check_says(why, "--cacert: only with an https:// URL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_a_url),
        cmocka_unit_test(options_of_a_track),
        cmocka_unit_test(options_of_http),
        cmocka_unit_test(options_wipe_a_password),
        cmocka_unit_test(engine_pick_takes_raw_where_it_can),
        cmocka_unit_test(options_of_a_child_and_a_corpus),
        cmocka_unit_test(options_refusals_name_option_and_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
