#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/spool_file.h"
#include "common/crc.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static struct spool_file open_in(const struct scratch *s)
{
    struct spool_file f;
    int fd = openat(s->fd, "spool", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    spool_file_init(&f, fd);
    return f;
}

static void spool_file_holds_records_in_their_order(void **state)
{
    struct spool_file f = open_in(*state);
    struct why why;
    uint8_t file[200];
    check_ok(spool_file_append(&f, SPOOL_LOAD, "abc", 3, &why), why);
    check_ok(spool_file_append(&f, SPOOL_TARGET_FINAL, "{}", 2, &why), why);
    assert_int_equal(f.records, 2);
    assert_int_equal(f.bytes, 20 + 3 + 20 + 2);
    ssize_t n = pread(f.fd, file, sizeof file, 0);
    assert_int_equal(n, 45);
    assert_int_equal(f.crc, crc32c(0, file, 45));
    struct spool_header h;
    const uint8_t *payload;
    check_ok(spool_record_read(file, 45, 0, &h, &payload, &why), why);
    assert_int_equal(h.stream, SPOOL_LOAD);
    assert_memory_equal(payload, "abc", 3);
    check_ok(spool_record_read(file + 23, 22, 1, &h, &payload, &why), why);
    assert_int_equal(h.stream, SPOOL_TARGET_FINAL);
    (void)close(f.fd);
}

static uint64_t on_disk(int fd)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    return (uint64_t)st.st_blocks * 512;
}

/* 16 MiB are the file's from the beginning on, and what is not used of them is
 * given back: 23 bytes are in one block. */
static void spool_file_has_its_room_reserved(void **state)
{
    struct spool_file f = open_in(*state);
    struct why why;
    check_ok(spool_file_reserve(f.fd, &why), why);
    assert_int_equal(lseek(f.fd, 0, SEEK_END), 0);
    assert_true(on_disk(f.fd) >= 16u << 20);
    check_ok(spool_file_append(&f, SPOOL_LOAD, "abc", 3, &why), why);
    spool_file_release(&f);
    assert_true(on_disk(f.fd) > 0 && on_disk(f.fd) <= 65536);
    assert_int_equal(lseek(f.fd, 0, SEEK_END), 23);
    (void)close(f.fd);
}

static void spool_file_makes_no_record_of_nothing(void **state)
{
    struct spool_file f = open_in(*state);
    struct why why;
    check_ok(spool_file_append(&f, SPOOL_LOAD, "", 0, &why), why);
    assert_int_equal(f.records, 0);
    assert_int_equal(f.bytes, 0);
    (void)close(f.fd);
}

static void spool_file_cuts_stderr_at_its_cap(void **state)
{
    static char piece[SPOOL_RECORD_MAX - 1];
    struct spool_file f = open_in(*state);
    struct why why;
    for (int i = 0; i < 4; i++) {
        check_ok(
            spool_file_append(&f, SPOOL_STDERR_LOAD, piece, sizeof piece, &why),
            why);
        check_ok(spool_file_append(&f, SPOOL_LOAD, piece, sizeof piece, &why),
                 why);
    }
    /* Of stderr 64 KiB less 128 bytes for the last line. */
    assert_int_equal(f.records, 1 + 4);
    assert_int_equal(f.bytes, 5 * 20 + 65408 + 4 * 65535);
    assert_int_equal(f.stream_bytes[SPOOL_STDERR_LOAD], 4 * 65535);
    check_ok(spool_file_end(&f, &why), why);
    static const char note[] =
        "\n[cut: the first 65408 of 262140 bytes are kept]\n";
    char last[sizeof note] = "";
    assert_int_equal(f.records, 1 + 4 + 1);
    assert_int_equal(pread(f.fd, last, sizeof note - 1,
                           (off_t)(f.bytes - (sizeof note - 1))),
                     sizeof note - 1);
    assert_string_equal(last, note);
    (void)close(f.fd);
}

static void spool_file_caps_the_gc_log_at_16_mib(void **state)
{
    static char piece[SPOOL_RECORD_MAX];
    struct spool_file f = open_in(*state);
    struct why why;
    for (int i = 0; i < 258; i++)
        check_ok(spool_file_append(&f, SPOOL_GC_LOG, piece, sizeof piece, &why),
                 why);
    assert_int_equal(f.records, 256); /* x 64 KiB */
    (void)close(f.fd);
}

/* A full disk, played by the limit on file sizes. */
static void
spool_file_ends_with_a_whole_record_when_the_disk_is_full(void **state)
{
    struct spool_file f = open_in(*state);
    struct rlimit old, small = {.rlim_cur = 100};
    struct why why;
    char piece[30] = "", longer[31] = "";
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    check_ok(spool_file_append(&f, SPOOL_LOAD, piece, 30, &why), why);
    /* 50 bytes are there; 51 more are one too many, and written in part. */
    assert_int_not_equal(spool_file_append(&f, SPOOL_LOAD, longer, 31, &why),
                         ERR_OK);
    enum err again = spool_file_append(&f, SPOOL_LOAD, piece, 1, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    check_err(again, ERR_NOSPACE);
    check_says(why, "the spool has failed before");
    assert_true(f.broken);
    assert_int_equal(f.records, 1);
    assert_int_equal(lseek(f.fd, 0, SEEK_END), 50);
    (void)close(f.fd);
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(spool_file_holds_records_in_their_order),
        IN_SCRATCH(spool_file_has_its_room_reserved),
        IN_SCRATCH(spool_file_makes_no_record_of_nothing),
        IN_SCRATCH(spool_file_cuts_stderr_at_its_cap),
        IN_SCRATCH(spool_file_caps_the_gc_log_at_16_mib),
        IN_SCRATCH(spool_file_ends_with_a_whole_record_when_the_disk_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
