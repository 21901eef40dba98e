#include <stdio.h>
#include <stdlib.h>

#include "common/http1.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

/* A transcript of events: "<T target|N name|V value|H ...|B body|>" with the
 * pieces of one item joined, so that it does not depend on the cuts. */
struct script {
    char text[4096];
    size_t len;
    char item;    /* kind of the last piece */
    int stop_at;  /* events until a callback says no; -1: never */
    bool stopped; /* an event after that is a fault */
};

static bool put(struct script *s, char item, const char *data, size_t len)
{
    assert_false(s->stopped);
    if (s->item != item || !strchr("TNVB", item)) {
        s->text[s->len++] = ' ';
        s->text[s->len++] = item;
    }
    s->item = item;
    assert_true(s->len + len + 3 < sizeof s->text);
    if (len)
        memcpy(s->text + s->len, data, len);
    s->len += len;
    s->text[s->len] = '\0';
    s->stopped = s->stop_at == 0;
    s->stop_at -= s->stop_at > 0;
    return !s->stopped;
}

static bool begin(void *ctx)
{
    return put(ctx, '<', NULL, 0);
}

static bool target(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'T', data, len);
}

static bool name(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'N', data, len);
}

static bool value(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'V', data, len);
}

static bool head(void *ctx, const struct http1_head *h)
{
    static const char *const methods[] = {"GET", "HEAD",   "POST",
                                          "PUT", "DELETE", "OTHER"};
    char text[96], length[24] = "none";
    if (h->content_length != HTTP1_LENGTH_NONE)
        (void)snprintf(length, sizeof length, "%llu",
                       (unsigned long long)h->content_length);
    int n = snprintf(text, sizeof text, "%s/%u/%s%s%s",
                     h->status ? "-" : methods[h->method], h->status, length,
                     h->chunked ? "/chunked" : "",
                     h->keep_alive ? "/keep" : "/close");
    return put(ctx, 'H', text, (size_t)n);
}

static bool body(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'B', data, len);
}

static bool end(void *ctx)
{
    return put(ctx, '>', NULL, 0);
}

static const struct http1_events events = {begin, target, name, value,
                                           head,  body,   end};

/* Feed data in pieces of step bytes (the first of them first bytes long), then
 * the connection's end; return the first error. */
static enum err feed(struct http1 *h, const char *data, size_t len,
                     size_t first, size_t step, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t at = 0; at < len && !e;) {
        size_t n = at ? step : first;
        n = n < len - at ? n : len - at;
        char *piece = guard_copy(data + at, n);
        e = http1_feed(h, piece, n, why);
        guard_free(piece, n);
        at += n;
    }
    return e ? e : http1_feed(h, "", 0, why);
}

static struct script got;
static struct why why;

static enum err run(enum http1_kind kind, const char *data, size_t first,
                    size_t step, bool no_body)
{
    got = (struct script){.stop_at = -1};
    why = (struct why){0};
    struct http1 *h = http1_new(kind, &events, &got);
    assert_non_null(h);
    if (no_body)
        http1_expect_no_body(h);
    enum err e = feed(h, data, strlen(data), first, step, &why);
    http1_free(h);
    return e;
}

/* The events of data are want, however it is cut: whole, by single bytes, and
 * in two at every place. */
static void check_events(enum http1_kind kind, const char *data,
                         const char *want, enum err code, bool no_body)
{
    size_t len = strlen(data);
    check_err(run(kind, data, len, len, no_body), code);
    assert_string_equal(got.text, want);
    check_err(run(kind, data, 1, 1, no_body), code);
    assert_string_equal(got.text, want);
    for (size_t cut = 1; cut < len; cut++) {
        check_err(run(kind, data, cut, len, no_body), code);
        assert_string_equal(got.text, want);
    }
}

static void request(const char *data, const char *want)
{
    check_events(HTTP1_REQUEST, data, want, ERR_OK, false);
}

static void response(const char *data, const char *want)
{
    check_events(HTTP1_RESPONSE, data, want, ERR_OK, false);
}

static void refused(enum http1_kind kind, const char *data, const char *part)
{
    size_t len = strlen(data);
    check_err(run(kind, data, len, len, false), ERR_PROTOCOL);
    check_says(why, part);
    for (size_t cut = 1; cut < len; cut++) {
        check_err(run(kind, data, cut, len, false), ERR_PROTOCOL);
        check_says(why, part);
    }
}

static void requests_are_the_same_however_they_are_cut(void **state)
{
    (void)state;
    request("GET /a?b=c HTTP/1.1\r\nHost: x\r\nEmpty:\r\nA: b c \r\n\r\n",
            " < T/a?b=c NHost Vx NEmpty V NA Vb c  HGET/0/none/keep >");
    request("POST /_bulk HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
            " < T/_bulk NContent-Length V5 HPOST/0/5/keep Bhello >");
    request("PUT / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            " < T/ NContent-Length V0 HPUT/0/0/keep >");
    request("HEAD / HTTP/1.1\r\n\r\n", " < T/ HHEAD/0/none/keep >");
    request("DELETE /x HTTP/1.1\r\n\r\n", " < T/x HDELETE/0/none/keep >");
    request("OPTIONS * HTTP/1.1\r\n\r\n", " < T* HOTHER/0/none/keep >");
}

static void requests_may_be_chunked(void **state)
{
    (void)state;
    request("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            "3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\n\r\n",
            " < T/ NTransfer-Encoding Vchunked HPOST/0/none/chunked/keep"
            " Babc0123456789 >");
    request("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            "1\r\na\r\n0\r\nTrailer: t\r\n\r\n",
            " < T/ NTransfer-Encoding Vchunked HPOST/0/none/chunked/keep"
            " Ba NTrailer Vt >");
}

static void requests_may_be_pipelined(void **state)
{
    (void)state;
    request("POST /1 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"
            "GET /2 HTTP/1.1\r\n\r\n\r\nGET /3 HTTP/1.0\r\n\r\n",
            " < T/1 NContent-Length V1 HPOST/0/1/keep Bx >"
            " < T/2 HGET/0/none/keep > < T/3 HGET/0/none/close >");
}

static void keep_alive_follows_version_and_header(void **state)
{
    (void)state;
    request("GET / HTTP/1.0\r\n\r\n", " < T/ HGET/0/none/close >");
    request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            " < T/ NConnection Vkeep-alive HGET/0/none/keep >");
    request("GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
            " < T/ NConnection Vclose HGET/0/none/close >");
}

static void a_message_after_the_last_is_refused(void **state)
{
    (void)state;
    check_events(HTTP1_REQUEST,
                 "GET /1 HTTP/1.0\r\n\r\n\r\nGET /2 HTTP/1.0\r\n\r\n",
                 " < T/1 HGET/0/none/close >", ERR_PROTOCOL, false);
    check_says(why, "CLOSED_CONNECTION");
}

static void upgrade_and_connect_are_read_as_http(void **state)
{
    (void)state;
    request("GET / HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
            "GET /2 HTTP/1.1\r\n\r\n",
            " < T/ NUpgrade Vh2c NConnection VUpgrade HGET/0/none/keep >"
            " < T/2 HGET/0/none/keep >");
    request("CONNECT a:1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n",
            " < Ta:1 HOTHER/0/none/keep > < T/2 HGET/0/none/keep >");
}

static void responses_are_the_same_however_they_are_cut(void **state)
{
    (void)state;
    response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
             "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n",
             " < NContent-Length V2 H-/200/2/keep Bok >"
             " < NContent-Length V0 H-/429/0/keep >");
}

static void responses_may_be_chunked(void **state)
{
    (void)state;
    response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
             "2\r\nok\r\n0\r\n\r\n",
             " < NTransfer-Encoding Vchunked H-/200/none/chunked/keep Bok >");
}

static void responses_without_length_end_with_the_connection(void **state)
{
    (void)state;
    response("HTTP/1.0 200 OK\r\n\r\nall of it",
             " < H-/200/none/close Ball of it >");
}

static void interim_responses_give_no_events(void **state)
{
    (void)state;
    response("HTTP/1.1 100 Continue\r\n\r\n"
             "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
             "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
             " < NContent-Length V1 H-/201/1/keep Bx >");
    response("HTTP/1.1 102 Processing\r\nContent-Length: 3\r\n\r\n"
             "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
             " < NContent-Length V0 H-/200/0/keep >");
    response("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n"
             "Connection: Upgrade\r\n\r\n",
             " < NUpgrade Vx NConnection VUpgrade H-/101/none/keep >");
}

static void answers_to_head_have_no_body(void **state)
{
    (void)state;
    check_events(HTTP1_RESPONSE,
                 "HTTP/1.1 100 Continue\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
                 " < NContent-Length V9 H-/200/9/keep >"
                 " < NContent-Length V1 H-/200/1/keep Bx >",
                 ERR_OK, true);
    check_events(HTTP1_RESPONSE, "HTTP/1.1 200 OK\r\n\r\n",
                 " < H-/200/none/keep >", ERR_OK, true);
    response("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\n"
             "Content-Length: 7\r\n\r\n",
             " < H-/204/none/keep > < NContent-Length V7 H-/304/7/keep >");
}

static void errors_give_the_parsers_reason(void **state)
{
    (void)state;
    refused(HTTP1_REQUEST, "BREW / HTTP/1.1\r\n\r\n", "HPE_INVALID_METHOD");
    refused(HTTP1_REQUEST, "GET / HTTP/1.1\r\nA\x01: c\r\n\r\n",
            "invalid character in header (HPE_INVALID_HEADER_TOKEN)");
    refused(HTTP1_REQUEST, "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "HPE_INVALID_CONTENT_LENGTH");
    refused(HTTP1_REQUEST,
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HPE_INVALID_CONTENT_LENGTH");
    refused(HTTP1_REQUEST,
            "POST / HTTP/1.1\r\nContent-Length: 1\r\n"
            "Transfer-Encoding: chunked\r\n\r\n",
            "HPE_UNEXPECTED_CONTENT_LENGTH");
    refused(HTTP1_REQUEST,
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HPE_INVALID_CHUNK_SIZE");
    refused(HTTP1_RESPONSE, "SSH-2.0-OpenSSH_9.2\r\n", "HPE_INVALID_CONSTANT");
    refused(HTTP1_RESPONSE, "HTTP/1.1 abc OK\r\n\r\n", "HPE_INVALID_STATUS");
}

static void a_message_cut_by_the_end_is_an_error(void **state)
{
    (void)state;
    const char *text = "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nok";
    struct http1 *h = http1_new(HTTP1_REQUEST, &events, &got);
    for (size_t n = 0; n <= strlen(text); n++) {
        got = (struct script){.stop_at = -1};
        http1_reset(h);
        bool whole = n == 0 || n == strlen(text);
        check_err(feed(h, text, n, n, n, &why), whole ? ERR_OK : ERR_PROTOCOL);
        if (!whole)
            check_says(why, "HPE_INVALID_EOF_STATE");
    }
    http1_free(h);
}

/* A request whose start line and headers are exactly n bytes. */
static char *sized(size_t n)
{
    static const char start[] = "GET / HTTP/1.1\r\nA: ";
    char *text = malloc(n + 1);
    memset(text, 'x', n);
    memcpy(text, start, sizeof start - 1);
    memcpy(text + n - 4, "\r\n\r\n", 5);
    return text;
}

static bool accepts(const char *text, size_t first, size_t step)
{
    static const struct http1_events quiet;
    why = (struct why){0};
    struct http1 *h = http1_new(HTTP1_REQUEST, &quiet, NULL);
    enum err e = feed(h, text, strlen(text), first, step, &why);
    http1_free(h);
    return !e;
}

static void headers_are_bounded_at_64_kib(void **state)
{
    (void)state;
    static const size_t cuts[] = {1, 19, 4096, 65535, 65536, 70000};
    char *fits = sized(65536), *over = sized(65537);
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        assert_true(accepts(fits, cuts[i], 8192));
        assert_false(accepts(over, cuts[i], 8192));
        check_says(why, "HPE_HEADER_OVERFLOW");
    }
    free(fits);
    free(over);
}

static void a_callback_may_end_the_parse(void **state)
{
    (void)state;
    const char *text = "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nok";
    struct http1 *h = http1_new(HTTP1_REQUEST, &events, &got);
    /* < T N V H B > */
    for (int stop = 0; stop < 7; stop++) {
        got = (struct script){.stop_at = stop};
        http1_reset(h);
        check_err(http1_feed(h, text, strlen(text), &why), ERR_INTERRUPTED);
        assert_true(got.stopped);
        check_err(http1_feed(h, text, strlen(text), &why), ERR_INTERRUPTED);
    }
    http1_free(h);
}

static void http1_reset_forgets_an_error_and_an_expectation(void **state)
{
    (void)state;
    struct http1 *h = http1_new(HTTP1_RESPONSE, &events, &got);
    got = (struct script){.stop_at = -1};
    check_err(http1_feed(h, "x", 1, &why), ERR_PROTOCOL);
    check_err(http1_feed(h, "x", 1, &why), ERR_PROTOCOL);
    http1_expect_no_body(h);
    http1_reset(h);
    const char *text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    check_ok(http1_feed(h, text, strlen(text), &why), why);
    assert_non_null(strstr(got.text, "Bok >"));
    http1_free(h);
    http1_free(NULL);
}

static void every_event_may_be_left_out(void **state)
{
    (void)state;
    assert_true(
        accepts("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nok", 9, 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_the_same_however_they_are_cut),
        cmocka_unit_test(requests_may_be_chunked),
        cmocka_unit_test(requests_may_be_pipelined),
        cmocka_unit_test(keep_alive_follows_version_and_header),
        cmocka_unit_test(a_message_after_the_last_is_refused),
        cmocka_unit_test(upgrade_and_connect_are_read_as_http),
        cmocka_unit_test(responses_are_the_same_however_they_are_cut),
        cmocka_unit_test(responses_may_be_chunked),
        cmocka_unit_test(responses_without_length_end_with_the_connection),
        cmocka_unit_test(interim_responses_give_no_events),
        cmocka_unit_test(answers_to_head_have_no_body),
        cmocka_unit_test(errors_give_the_parsers_reason),
        cmocka_unit_test(a_message_cut_by_the_end_is_an_error),
        cmocka_unit_test(headers_are_bounded_at_64_kib),
        cmocka_unit_test(a_callback_may_end_the_parse),
        cmocka_unit_test(http1_reset_forgets_an_error_and_an_expectation),
        cmocka_unit_test(every_event_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
