#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/recording.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

#define MIB 1048576ull

static struct why why;

/* What the spool's records hold of the recording. */
static uint64_t taken(const struct scratch *s)
{
    struct spool_file f;
    int fd = openat(s->fd, "spool", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    spool_file_init(&f, fd);
    check_ok(recording_take(s->fd, &f, &why), why);
    (void)close(fd);
    return f.stream_bytes[SPOOL_RECORDING];
}

/* Add a chunk of this size, a hole but for its head. */
static void add_chunk(const struct scratch *s, uint64_t bytes)
{
    uint8_t head[68] = "FLR";
    int fd = openat(s->fd, "work/recording.jfr", O_WRONLY | O_CREAT, 0600);
    off_t end = lseek(fd, 0, SEEK_END);
    for (unsigned i = 0; i < 8; i++)
        head[8 + i] = (uint8_t)(bytes >> (56 - 8 * i));
    assert_int_equal(write(fd, head, sizeof head), sizeof head);
    assert_int_equal(ftruncate(fd, end + (off_t)bytes), 0);
    (void)close(fd);
}

static void recording_take_keeps_chunks_and_no_torn_one(void **state)
{
    const struct scratch *s = *state;
    assert_int_equal(mkdirat(s->fd, "work", 0700), 0);
    assert_int_equal(taken(s), 0); /* none is there */
    add_chunk(s, 1000);
    add_chunk(s, 70000);
    assert_int_equal(taken(s), 71000);
    add_chunk(s, 500);
    int fd = openat(s->fd, "work/recording.jfr", O_WRONLY);
    assert_int_equal(ftruncate(fd, 71499), 0);
    (void)close(fd);
    assert_int_equal(taken(s), 71000);
}

/* 7 + 6 + 5 + 4 MiB; the last three are 15, with the first they are 22. */
static void recording_take_keeps_the_last_chunks_below_the_cap(void **state)
{
    const struct scratch *s = *state;
    assert_int_equal(mkdirat(s->fd, "work", 0700), 0);
    for (uint64_t mib = 7; mib >= 4; mib--)
        add_chunk(s, mib * MIB);
    assert_int_equal(taken(s), 15 * MIB);
    add_chunk(s, 17 * MIB);
    assert_int_equal(taken(s), 0);
}

static void recording_take_follows_no_link_and_waits_for_no_pipe(void **state)
{
    const struct scratch *s = *state;
    struct spool_file f;
    spool_file_init(&f, -1);
    assert_int_equal(mkdirat(s->fd, "work", 0700), 0);
    assert_int_equal(symlinkat("/etc/hostname", s->fd, "work/recording.jfr"),
                     0);
    check_err(recording_take(s->fd, &f, &why), ERR_IO);
    assert_int_equal(unlinkat(s->fd, "work/recording.jfr", 0), 0);
    assert_int_equal(mkfifoat(s->fd, "work/recording.jfr", 0600), 0);
    check_err(recording_take(s->fd, &f, &why), ERR_INVALID);
    check_says(why, "recording.jfr: not a plain file");
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(recording_take_keeps_chunks_and_no_torn_one),
        IN_SCRATCH(recording_take_keeps_the_last_chunks_below_the_cap),
        IN_SCRATCH(recording_take_follows_no_link_and_waits_for_no_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
