#include <unistd.h>

#include "common/log.h"
#include "tests/lib/check.h"

static int keep, fds[2];

/* stderr goes to a pipe between begin() and end(). */
static void begin(void)
{
    keep = dup(STDERR_FILENO);
    assert_true(keep >= 0 && pipe(fds) == 0);
    assert_true(dup2(fds[1], STDERR_FILENO) >= 0);
}

static void end(char *said, size_t size)
{
    assert_true(dup2(keep, STDERR_FILENO) >= 0);
    (void)close(fds[1]);
    (void)close(keep);
    ssize_t n = read(fds[0], said, size - 1);
    assert_true(n >= 0);
    said[n] = '\0';
    (void)close(fds[0]);
}

static void log_writes_program_level_and_event(void **state)
{
    (void)state;
    char said[4096];
    begin();
    log_info("gate started pid=%d", 7);
    log_warn("lease old");
    log_error("child lost");
    end(said, sizeof said);
    assert_string_equal(said, "test_log info gate started pid=7\n"
                              "test_log warn lease old\n"
                              "test_log error child lost\n");
}

/* A peer's text can neither forge a line nor drive a terminal: newline, tab,
 * escape, DEL, the C1 control CSI and a stray byte. */
static void log_makes_foreign_text_harmless(void **state)
{
    (void)state;
    char said[4096];
    begin();
    log_info("%s", "a\nb\tc\x1b[2Jd\x7f\xc2\x9b\xff gr\xc3\xbcn");
    end(said, sizeof said);
    assert_string_equal(said, "test_log info a?b?c?[2Jd???? gr\xc3\xbcn\n");
}

static void log_cuts_a_long_line_and_ends_it(void **state)
{
    (void)state;
    char said[4096], text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    begin();
    log_info("%s", text);
    end(said, sizeof said);
    size_t n = strlen(said);
    assert_true(n > 900 && n <= 1024);
    assert_int_equal(said[n - 1], '\n');
    assert_int_equal(said[n - 2], 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_writes_program_level_and_event),
        cmocka_unit_test(log_makes_foreign_text_harmless),
        cmocka_unit_test(log_cuts_a_long_line_and_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
