#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/gate/sealed.h"
#include "tests/lib/check.h"

static void sealed_make_gives_the_bytes_from_the_start(void **state)
{
    (void)state;
    struct why why = {0};
    char buf[16];
    int fd = -1;
    check_ok(sealed_make("{\"x\":1}", 7, &fd, &why), why);
    assert_int_equal(read(fd, buf, sizeof buf), 7);
    assert_memory_equal(buf, "{\"x\":1}", 7);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    (void)close(fd);
}

static void sealed_make_lets_nobody_change_them(void **state)
{
    (void)state;
    struct why why = {0};
    int fd = -1;
    check_ok(sealed_make("abc", 3, &fd, &why), why);
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(fd, 10), -1);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    assert_ptr_equal(mmap(NULL, 3, PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    (void)close(fd);
}

static void sealed_make_takes_the_largest_plan(void **state)
{
    (void)state;
    const size_t size = 256 << 10;
    struct why why = {0};
    char *plan = malloc(size), *back = malloc(size);
    int fd = -1;
    memset(plan, 'p', size);
    check_ok(sealed_make(plan, size, &fd, &why), why);
    assert_int_equal(pread(fd, back, size, 0), size);
    assert_memory_equal(plan, back, size);
    (void)close(fd);
    free(plan);
    free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealed_make_gives_the_bytes_from_the_start),
        cmocka_unit_test(sealed_make_lets_nobody_change_them),
        cmocka_unit_test(sealed_make_takes_the_largest_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
