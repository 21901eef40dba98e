#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/watch/source.h"
#include "tests/lib/check.h"

static void source_reads_the_file_anew_each_time(void **state)
{
    (void)state;
    char path[] = "/tmp/pitwall-source-XXXXXX", buf[64];
    struct source s;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "first", 5, 0), 5);
    source_open(&s, path);
    assert_int_equal(s.error, 0);
    assert_int_equal(source_read(&s, buf, sizeof buf), 5);
    assert_memory_equal(buf, "first", 5);
    assert_int_equal(pwrite(fd, "second", 6, 0), 6);
    assert_int_equal(source_read(&s, buf, sizeof buf), 6);
    assert_memory_equal(buf, "second", 6);
    assert_int_equal(source_read(&s, buf, 3), 3); /* no more than fits */
    source_close(&s);
    (void)close(fd);
    (void)unlink(path);
}

static void source_reads_a_proc_file_of_several_pages(void **state)
{
    (void)state;
    static char buf[1 << 20];
    struct source s;
    source_open(&s, "/proc/self/smaps"); /* some 700 bytes a mapping */
    size_t len = source_read(&s, buf, sizeof buf);
    assert_true(len > 8192 && len < sizeof buf);
    assert_int_equal(buf[len - 1], '\n');
    buf[len - 1] = '\0';
    assert_non_null(strstr(buf, "[stack]")); /* near the end */
    source_close(&s);
}

static void source_keeps_the_first_error(void **state)
{
    (void)state;
    char buf[8];
    struct source s;
    source_open(&s, "/nonexistent/file");
    assert_int_equal(s.error, ENOENT);
    assert_int_equal(source_read(&s, buf, sizeof buf), 0);
    assert_int_equal(s.error, ENOENT);
    source_close(&s);
    source_open(&s, "/tmp"); /* opens, but is no file */
    assert_int_equal(s.error, 0);
    assert_int_equal(source_read(&s, buf, sizeof buf), 0);
    assert_int_equal(s.error, EISDIR);
    source_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_reads_the_file_anew_each_time),
        cmocka_unit_test(source_reads_a_proc_file_of_several_pages),
        cmocka_unit_test(source_keeps_the_first_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
