#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/gc_log.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

#define SPOOL_MAX (17u << 20)

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

/* What the spool's records of the log hold together; the caller's to free. */
static char *logged(const struct spool_file *f, size_t *len)
{
    uint8_t *file = malloc(SPOOL_MAX);
    char *text = malloc(SPOOL_MAX);
    assert_non_null(file);
    assert_non_null(text);
    ssize_t size = pread(f->fd, file, SPOOL_MAX, 0);
    assert_int_equal(size, f->bytes);
    *len = 0;
    for (size_t at = 0, n = 0; at < (size_t)size; n++) {
        struct spool_header h;
        const uint8_t *payload;
        check_ok(spool_record_read(file + at, (size_t)size - at, n, &h,
                                   &payload, &why),
                 why);
        assert_int_equal(h.stream, SPOOL_GC_LOG);
        memcpy(text + *len, payload, h.len);
        *len += h.len;
        at += SPOOL_HEADER_BYTES + h.len;
    }
    text[*len] = '\0';
    free(file);
    return text;
}

static void takes(void **state, const char *log, const char *want)
{
    struct spool_file f = open_in(*state);
    size_t len = 0;
    scratch_write(*state, "work/gc.log", log, strlen(log));
    check_ok(gc_log_take(((struct scratch *)*state)->fd, &f, &why), why);
    char *text = logged(&f, &len);
    assert_string_equal(text, want);
    free(text);
    (void)close(f.fd);
}

static void gc_log_take_keeps_whole_lines_as_they_are(void **state)
{
    takes(state, "[0.1s] one\n[0.2s] two\n", "[0.1s] one\n[0.2s] two\n");
}

static void gc_log_take_leaves_out_a_torn_line_and_says_so(void **state)
{
    /* 11 of 11 + 6 bytes. */
    takes(state, "[0.1s] one\n[0.2s]",
          "[0.1s] one\n"
          "[warning][gc] log cut: the first 11 of its 17 bytes are kept\n");
}

static void gc_log_take_keeps_nothing_of_a_log_without_a_line(void **state)
{
    takes(state, "[0.1s]",
          "[warning][gc] log cut: the first 0 of its 6 bytes are kept\n");
}

static void gc_log_take_makes_no_record_of_an_empty_log(void **state)
{
    takes(state, "", "");
}

static void gc_log_take_needs_no_log(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    check_ok(gc_log_take(s->fd, &f, &why), why);
    assert_int_equal(f.records, 0);
    (void)close(f.fd);
}

/* Lines of 1000 bytes, 17 MB of them: 16 MiB less 128 are 16777088 bytes, of
 * which 16777 lines are whole. */
static void gc_log_take_cuts_a_log_above_the_cap_at_a_lines_end(void **state)
{
    static const char note[] = "[warning][gc] log cut: the first 16777000 of "
                               "its 17000000 bytes are kept\n";
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    size_t len = 0;
    char line[1000];
    memset(line, 'x', sizeof line);
    line[999] = '\n';
    int fd = openat(s->fd, "work/gc.log", O_WRONLY | O_CREAT, 0600);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    for (int i = 0; i < 17000; i++)
        assert_int_equal(fwrite(line, 1, sizeof line, file), sizeof line);
    assert_int_equal(fclose(file), 0);
    check_ok(gc_log_take(s->fd, &f, &why), why);
    char *text = logged(&f, &len);
    assert_int_equal(len, 16777000 + sizeof note - 1);
    assert_true(len <= SPOOL_GC_LOG_MAX);
    assert_memory_equal(text + 16776000, line, sizeof line);
    assert_string_equal(text + 16777000, note);
    free(text);
    (void)close(f.fd);
}

static void gc_log_take_follows_no_link_and_waits_for_no_pipe(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    assert_int_equal(symlinkat("/etc/hostname", s->fd, "work/gc.log"), 0);
    check_err(gc_log_take(s->fd, &f, &why), ERR_IO);
    check_says(why, "gc.log: open: Too many levels of symbolic links");
    assert_int_equal(unlinkat(s->fd, "work/gc.log", 0), 0);
    assert_int_equal(mkfifoat(s->fd, "work/gc.log", 0600), 0);
    check_err(gc_log_take(s->fd, &f, &why), ERR_INVALID);
    check_says(why, "gc.log: not a plain file");
    assert_int_equal(f.records, 0);
    (void)close(f.fd);
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

/* An executor was killed while it took the log: the rest follows. */
static void gc_log_take_goes_on_behind_what_is_there(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    size_t len = 0;
    scratch_write(s, "work/gc.log", "[0.1s] one\n[0.2s] two\n", 22);
    check_ok(spool_file_append(&f, SPOOL_GC_LOG, "[0.1s] on", 9, &why), why);
    check_ok(gc_log_take(s->fd, &f, &why), why);
    check_ok(gc_log_take(s->fd, &f, &why), why);
    char *text = logged(&f, &len);
    assert_string_equal(text, "[0.1s] one\n[0.2s] two\n");
    free(text);
    (void)close(f.fd);
}

/* 24 MiB of lines: 4 MiB go back to the disk, the length, the end and all that
 * is taken stay as they were. */
static void gc_log_trim_gives_back_what_is_beyond_the_cap(void **state)
{
    struct scratch *s = *state;
    struct spool_file f = open_in(s);
    struct stat st;
    size_t len = 0;
    char *big = malloc(24u << 20);
    memset(big, 'x', 24u << 20);
    for (size_t i = 99; i < 24u << 20; i += 100)
        big[i] = '\n';
    gc_log_trim(s->fd); /* none is there yet */
    scratch_write(s, "work/gc.log", big, 24u << 20);
    gc_log_trim(s->fd);
    assert_int_equal(fstatat(s->fd, "work/gc.log", &st, 0), 0);
    assert_int_equal(st.st_size, 24 << 20);
    if (st.st_blocks * 512 > 21 << 20)
        print_message("this file system punches no holes\n");
    check_ok(gc_log_take(s->fd, &f, &why), why);
    char *text = logged(&f, &len);
    /* 167,770 lines of 100 bytes are the last whole ones of 16 MiB - 128. */
    assert_memory_equal(text, big, 16777000);
    assert_string_equal(text + 16777000,
                        "[warning][gc] log cut: the first 16777000 of its "
                        "25165824 bytes are kept\n");
    free(text);
    free(big);
    (void)close(f.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(gc_log_take_keeps_whole_lines_as_they_are),
        IN_SCRATCH(gc_log_take_leaves_out_a_torn_line_and_says_so),
        IN_SCRATCH(gc_log_take_keeps_nothing_of_a_log_without_a_line),
        IN_SCRATCH(gc_log_take_makes_no_record_of_an_empty_log),
        IN_SCRATCH(gc_log_take_needs_no_log),
        IN_SCRATCH(gc_log_take_cuts_a_log_above_the_cap_at_a_lines_end),
        IN_SCRATCH(gc_log_take_goes_on_behind_what_is_there),
        IN_SCRATCH(gc_log_trim_gives_back_what_is_beyond_the_cap),
        IN_SCRATCH(gc_log_take_follows_no_link_and_waits_for_no_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
