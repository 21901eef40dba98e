#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/last_word.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static struct why why;

static struct spool_file open_in(const struct scratch *s)
{
    struct spool_file f;
    int fd = openat(s->fd, "spool", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(mkdirat(s->fd, "work", 0700), 0);
    spool_file_init(&f, fd);
    return f;
}

static void last_word_take_keeps_the_file_as_it_is(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    scratch_write(s, "work/final.json", "{\"total\":{}}\n", 13);
    check_ok(last_word_take(s->fd, "final.json", &f, &why), why);
    uint8_t file[200];
    struct spool_header h;
    const uint8_t *payload;
    ssize_t size = pread(f.fd, file, sizeof file, 0);
    check_ok(spool_record_read(file, (size_t)size, 0, &h, &payload, &why), why);
    assert_int_equal(h.stream, SPOOL_TARGET_FINAL);
    assert_int_equal(h.len, 13);
    assert_memory_equal(payload, "{\"total\":{}}\n", 13);
    (void)close(f.fd);
}

static void last_word_take_needs_no_file(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    check_ok(last_word_take(s->fd, "final.json", &f, &why), why);
    assert_int_equal(f.records, 0);
    (void)close(f.fd);
}

/* 4 MiB and a byte. */
static void last_word_take_leaves_what_is_too_long(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    scratch_write(s, "work/final.json", "{", 1);
    int fd = openat(s->fd, "work/final.json", O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, (4 << 20) + 1), 0);
    (void)close(fd);
    check_err(last_word_take(s->fd, "final.json", &f, &why), ERR_INVALID);
    check_says(why, "last word final.json: 4194305 bytes, at most 4194304");
    assert_int_equal(f.records, 0);
    (void)close(f.fd);
}

static void last_word_take_follows_no_link_and_waits_for_no_pipe(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    assert_int_equal(symlinkat("/etc/hostname", s->fd, "work/final.json"), 0);
    check_err(last_word_take(s->fd, "final.json", &f, &why), ERR_IO);
    check_says(why, "Too many levels of symbolic links");
    assert_int_equal(unlinkat(s->fd, "work/final.json", 0), 0);
    assert_int_equal(mkfifoat(s->fd, "work/final.json", 0600), 0);
    check_err(last_word_take(s->fd, "final.json", &f, &why), ERR_INVALID);
    check_says(why, "not a plain file");
    assert_int_equal(f.records, 0);
    (void)close(f.fd);
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(last_word_take_keeps_the_file_as_it_is),
        IN_SCRATCH(last_word_take_needs_no_file),
        IN_SCRATCH(last_word_take_leaves_what_is_too_long),
        IN_SCRATCH(last_word_take_follows_no_link_and_waits_for_no_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
