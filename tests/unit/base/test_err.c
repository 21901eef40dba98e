#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/lib/check.h"

static void err_wrap_puts_context_before_the_text(void **state)
{
    (void)state;
    struct why why = {0};
    check_err(err_set(&why, ERR_IO, "read %s: %d", "lab.db", 5), ERR_IO);
    check_err(err_wrap(&why, ERR_IO, "open results"), ERR_IO);
    check_err(err_wrap(&why, ERR_IO, "store trial %d", 41), ERR_IO);
    assert_string_equal(why.text, "store trial 41: open results: read lab.db: "
                                  "5");
}

static void err_wrap_falls_back_on_the_codes_text(void **state)
{
    (void)state;
    struct why why = {0};
    check_err(err_wrap(&why, ERR_TIMEOUT, "ping a1"), ERR_TIMEOUT);
    assert_string_equal(why.text, "ping a1: timed out");
}

static void err_wrap_keeps_the_context_and_cuts_the_end(void **state)
{
    (void)state;
    struct why why;
    memset(why.text, 'x', sizeof why.text - 1);
    why.text[sizeof why.text - 1] = '\0';
    check_err(err_wrap(&why, ERR_IO, "context"), ERR_IO);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    assert_memory_equal(why.text, "context: xxx", 12);
}

static void err_wrap_survives_a_context_longer_than_the_buffer(void **state)
{
    (void)state;
    char long_text[2 * sizeof(struct why)];
    memset(long_text, 'c', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    struct why why = {"tail"};
    check_err(err_wrap(&why, ERR_IO, "%s", long_text), ERR_IO);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    assert_int_equal(why.text[sizeof why.text - 2], 'c');
}

static void err_set_may_quote_the_text_it_replaces(void **state)
{
    (void)state;
    struct why why = {"first"};
    check_err(err_set(&why, ERR_IO, "<%s>", why.text), ERR_IO);
    assert_string_equal(why.text, "<first>");
    check_err(err_wrap(&why, ERR_IO, "%s", why.text), ERR_IO);
    assert_string_equal(why.text, "<first>: <first>");
}

static void err_functions_take_no_why(void **state)
{
    (void)state;
    check_err(err_set(NULL, ERR_IO, "x"), ERR_IO);
    check_err(err_wrap(NULL, ERR_IO, "x"), ERR_IO);
    check_err(err_errno(NULL, ENOENT, "x"), ERR_NOTFOUND);
}

static void err_errno_translates_as_documented(void **state)
{
    (void)state;
    static const struct {
        int errnum;
        enum err e;
    } cases[] = {
        {EACCES, ERR_PERMISSION},
        {EPERM, ERR_PERMISSION},
        {EROFS, ERR_PERMISSION},
        {ENOENT, ERR_NOTFOUND},
        {EEXIST, ERR_EXISTS},
        {ENOMEM, ERR_NOMEM},
        {ENOSPC, ERR_NOSPACE},
        {EDQUOT, ERR_NOSPACE},
        {EBUSY, ERR_BUSY},
        {EADDRINUSE, ERR_BUSY},
        {ETIMEDOUT, ERR_TIMEOUT},
        {EINTR, ERR_INTERRUPTED},
        {EAGAIN, ERR_AGAIN},
        {ECONNREFUSED, ERR_REFUSED},
        {EPIPE, ERR_GONE},
        {ECONNRESET, ERR_GONE},
        {ENOTSUP, ERR_UNSUPPORTED},
        {ENOSYS, ERR_UNSUPPORTED},
        {ERANGE, ERR_RANGE},
        {EIO, ERR_IO},
        {ELOOP, ERR_IO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct why why = {0};
        check_err(err_errno(&why, cases[i].errnum, "open %s", "a"), cases[i].e);
        check_says(why, "open a: ");
        check_says(why, strerror(cases[i].errnum));
    }
}

static void err_text_and_name_know_every_code_and_no_other(void **state)
{
    (void)state;
    assert_string_equal(err_name(ERR_OK), "OK");
    assert_string_equal(err_name(ERR_FENCED), "FENCED");
    assert_string_equal(err_text(ERR_FENCED), "fenced by a newer lease");
    assert_string_equal(err_name(ERR_LAST), "UNKNOWN");
    assert_string_equal(err_text((enum err)255), "unknown error");
}

/* These stand in stores and on the wire: a new code goes to the end. */
static void err_codes_keep_their_numbers(void **state)
{
    (void)state;
    assert_int_equal(ERR_OK, 0);
    assert_int_equal(ERR_PROTOCOL, 11);
    assert_int_equal(ERR_FENCED, 14);
    assert_int_equal(ERR_CORRUPT, 21);
    assert_int_equal(ERR_INTERNAL, 26);
}

static void err_exit_is_the_command_lines(void **state)
{
    (void)state;
    assert_int_equal(err_exit(ERR_OK), 0);
    assert_int_equal(err_exit(ERR_IO), 1);
    assert_int_equal(err_exit(ERR_PERMISSION), 1);
    assert_int_equal(err_exit(ERR_USAGE), 2);
    assert_int_equal(err_exit(ERR_INVALID), 2);
    assert_int_equal(err_exit(ERR_RANGE), 2);
    assert_int_equal(err_exit(ERR_NOTFOUND), 2);
    assert_int_equal(err_exit(ERR_VERSION), 2);
    assert_int_equal(err_exit(ERR_INTERRUPTED), 130);
}

/* Runs err_main with stderr in a pipe; what it printed into said. */
static int main_says(enum err e, const struct why *why, char *said, size_t size)
{
    int fds[2], keep = dup(STDERR_FILENO);
    assert_true(keep >= 0 && pipe(fds) == 0);
    assert_true(dup2(fds[1], STDERR_FILENO) >= 0);
    int status = err_main("pitwall", e, why);
    assert_true(dup2(keep, STDERR_FILENO) >= 0);
    (void)close(fds[1]);
    (void)close(keep);
    ssize_t n = read(fds[0], said, size - 1);
    assert_true(n >= 0);
    said[n] = '\0';
    (void)close(fds[0]);
    return status;
}

static void err_main_prints_one_line_and_gives_the_status(void **state)
{
    (void)state;
    char said[600];
    struct why why = {"lab.db: no space"};
    assert_int_equal(main_says(ERR_NOSPACE, &why, said, sizeof said), 1);
    assert_string_equal(said, "pitwall: lab.db: no space\n");
    assert_int_equal(main_says(ERR_USAGE, NULL, said, sizeof said), 2);
    assert_string_equal(said, "pitwall: usage\n");
    assert_int_equal(main_says(ERR_OK, &why, said, sizeof said), 0);
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(err_wrap_puts_context_before_the_text),
        cmocka_unit_test(err_wrap_falls_back_on_the_codes_text),
        cmocka_unit_test(err_wrap_keeps_the_context_and_cuts_the_end),
        cmocka_unit_test(err_wrap_survives_a_context_longer_than_the_buffer),
        cmocka_unit_test(err_set_may_quote_the_text_it_replaces),
        cmocka_unit_test(err_functions_take_no_why),
        cmocka_unit_test(err_errno_translates_as_documented),
        cmocka_unit_test(err_text_and_name_know_every_code_and_no_other),
        cmocka_unit_test(err_codes_keep_their_numbers),
        cmocka_unit_test(err_exit_is_the_command_lines),
        cmocka_unit_test(err_main_prints_one_line_and_gives_the_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
