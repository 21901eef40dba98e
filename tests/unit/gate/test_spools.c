#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/gate/spools.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/requests.h"

static struct port_request attempt(uint32_t tid)
{
    struct port_request p = {.tid = tid, .att = 1};
    (void)snprintf(p.eid, sizeof p.eid, "%s", REQUESTS_EID);
    return p;
}

/* A file of ten bytes, opened. */
static int ten_bytes(void)
{
    char path[] = "/tmp/pitwall-spool-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "0123456789", 10, 0), 10);
    (void)unlink(path);
    return fd;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void spools_find_what_they_took(void **state)
{
    (void)state;
    struct spools s;
    struct port_request a = attempt(1), b = attempt(2), c = attempt(1);
    spools_init(&s);
    int fd = ten_bytes();
    assert_int_equal(spools_find(&s, &a, 1), -1);
    spools_take(&s, &a, fd, 1);
    assert_int_equal(spools_find(&s, &a, 2), fd);
    assert_int_equal(spools_find(&s, &b, 2), -1);
    c.att = 2;
    assert_int_equal(spools_find(&s, &c, 2), -1);
    c = attempt(1);
    c.eid[0] = 'f';
    assert_int_equal(spools_find(&s, &c, 2), -1);
    spools_fini(&s);
    assert_false(is_open(fd));
}

static void spools_take_closes_the_older_one_of_the_attempt(void **state)
{
    (void)state;
    struct spools s;
    struct port_request a = attempt(1);
    spools_init(&s);
    int old = ten_bytes(), new = ten_bytes();
    spools_take(&s, &a, old, 1);
    spools_take(&s, &a, new, 2);
    assert_int_equal(spools_find(&s, &a, 3), new);
    assert_false(is_open(old));
    spools_drop(&s, &a);
    assert_false(is_open(new));
    assert_int_equal(spools_find(&s, &a, 3), -1);
    spools_drop(&s, &a); /* once more is nothing */
    spools_fini(&s);
}

static void spools_take_the_place_of_the_one_idle_longest(void **state)
{
    (void)state;
    struct spools s;
    int fds[SPOOLS_MAX + 1];
    spools_init(&s);
    for (uint32_t i = 0; i <= SPOOLS_MAX; i++)
        fds[i] = ten_bytes();
    for (uint32_t i = 0; i < SPOOLS_MAX; i++) {
        struct port_request p = attempt(i + 1);
        spools_take(&s, &p, fds[i], 10 + i);
    }
    struct port_request first = attempt(1), second = attempt(2),
                        last = attempt(SPOOLS_MAX + 1);
    assert_int_equal(spools_find(&s, &first, 50), fds[0]); /* used again */
    spools_take(&s, &last, fds[SPOOLS_MAX], 51);
    assert_int_equal(spools_find(&s, &first, 52), fds[0]);
    assert_int_equal(spools_find(&s, &second, 52), -1);
    assert_false(is_open(fds[1]));
    assert_int_equal(spools_find(&s, &last, 52), fds[SPOOLS_MAX]);
    spools_fini(&s);
}

static void spools_expire_after_a_minute_without_use(void **state)
{
    (void)state;
    struct spools s;
    struct port_request a = attempt(1);
    spools_init(&s);
    int fd = ten_bytes();
    spools_take(&s, &a, fd, 1000);
    spools_expire(&s, 1000 + SPOOLS_IDLE_NS - 1);
    assert_true(is_open(fd));
    spools_expire(&s, 1000 + SPOOLS_IDLE_NS);
    assert_false(is_open(fd));
    spools_fini(&s);
}

static void spools_read_chunks_up_to_the_end(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset;
        uint32_t max;
        const char *bytes;
    } cases[] = {{0, 4, "0123"},
                 {4, 4, "4567"},
                 {8, 4, "89"},
                 {0, 131072, "0123456789"},
                 {10, 4, ""}};
    int fd = ten_bytes();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct msg_collect want = {cases[i].offset, cases[i].max};
        uint8_t buf[64];
        uint64_t total = 0;
        size_t n = 99;
        struct why why = {0};
        check_ok(spools_read(fd, &want, buf, &n, &total, &why), why);
        assert_int_equal(n, strlen(cases[i].bytes));
        assert_memory_equal(buf, cases[i].bytes, n);
        assert_int_equal(total, 10);
    }
    (void)close(fd);
}

static void spools_read_refuses_what_is_beyond_the_end(void **state)
{
    (void)state;
    const struct msg_collect want = {11, 4}, far = {UINT64_MAX, 4};
    uint8_t buf[64];
    uint64_t total = 0;
    size_t n = 99;
    struct why why = {0};
    int fd = ten_bytes();
    check_err(spools_read(fd, &want, buf, &n, &total, &why), ERR_RANGE);
    check_says(why, "offset 11: the spool has 10 bytes");
    assert_int_equal(n, 0);
    check_err(spools_read(fd, &far, buf, &n, &total, &why), ERR_RANGE);
    (void)close(fd);
}

static void spools_read_refuses_what_is_no_file(void **state)
{
    (void)state;
    const struct msg_collect want = {0, 4};
    int fds[2];
    uint8_t buf[64];
    uint64_t total = 0;
    size_t n = 99;
    struct why why = {0};
    assert_int_equal(pipe(fds), 0);
    check_err(spools_read(fds[0], &want, buf, &n, &total, &why), ERR_INTERNAL);
    check_says(why, "not a regular file");
    (void)close(fds[0]);
    (void)close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spools_find_what_they_took),
        cmocka_unit_test(spools_take_closes_the_older_one_of_the_attempt),
        cmocka_unit_test(spools_take_the_place_of_the_one_idle_longest),
        cmocka_unit_test(spools_expire_after_a_minute_without_use),
        cmocka_unit_test(spools_read_chunks_up_to_the_end),
        cmocka_unit_test(spools_read_refuses_what_is_beyond_the_end),
        cmocka_unit_test(spools_read_refuses_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
