#include "tests/unit/executor/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/executor/tree.h"
#include "tests/lib/check.h"

int scratch_open(void **state)
{
    struct scratch *s = calloc(1, sizeof *s);
    assert_non_null(s);
    (void)snprintf(s->path, sizeof s->path, "/tmp/pitwall-unit-XXXXXX");
    assert_non_null(mkdtemp(s->path));
    s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(s->fd >= 0);
    *state = s;
    return 0;
}

int scratch_close(void **state)
{
    struct scratch *s = *state;
    struct why why;
    (void)close(s->fd);
    check_ok(tree_remove(AT_FDCWD, s->path, &why), why);
    free(s);
    return 0;
}

void scratch_write(const struct scratch *s, const char *name, const char *text,
                   size_t len)
{
    int fd =
        openat(s->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    (void)close(fd);
}

void scratch_read(const struct scratch *s, const char *name, char *buf,
                  size_t size)
{
    int fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);
    assert_true(n >= 0);
    buf[n] = '\0';
    if (fd >= 0)
        (void)close(fd);
}
