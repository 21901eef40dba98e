#include "tests/unit/watch/records.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/check.h"

static size_t drain(int fd, uint8_t *buf, size_t size)
{
    size_t len = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 0) <= 0)
            return len;
        ssize_t n = read(fd, buf + len, size - len);
        if (n <= 0)
            return len;
        len += (size_t)n;
    }
}

struct records *records_read(int fd)
{
    enum { SIZE = 1 << 20 };
    struct why why = {0};
    struct records *r = calloc(1, sizeof *r);
    uint8_t *buf = malloc(SIZE);
    assert_non_null(r);
    assert_non_null(buf);
    size_t len = drain(fd, buf, SIZE), at = 0;
    while (at < len) {
        assert_true(len - at >= 4);
        size_t n = buf[at] | (size_t)buf[at + 1] << 8 |
                   (size_t)buf[at + 2] << 16 | (size_t)buf[at + 3] << 24;
        at += 4;
        assert_true(n <= len - at);
        assert_true(r->n < RECORDS_MAX);
        check_ok(record_decode(buf + at, n, &r->all[r->n++], &why), why);
        at += n;
    }
    free(buf);
    return r;
}

const struct record *records_at(const struct records *records,
                                enum record_kind kind, size_t i)
{
    for (size_t k = 0; k < records->n; k++)
        if (records->all[k].kind == kind && i-- == 0)
            return &records->all[k];
    return NULL;
}

size_t records_count(const struct records *records, enum record_kind kind)
{
    size_t count = 0;
    for (size_t k = 0; k < records->n; k++)
        count += records->all[k].kind == kind;
    return count;
}

const char *records_fact(const struct records *records, const char *name)
{
    for (size_t k = 0; k < records->n; k++)
        if (records->all[k].kind == RECORD_IS_fact &&
            !strcmp(records->all[k].as.fact.name, name))
            return records->all[k].as.fact.value;
    return NULL;
}
