#include "tests/lib/guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t mapped(size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (len + page - 1) / page * page + page;
}

char *guard_copy(const void *data, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = mapped(len);
    char *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + size - page, page, PROT_NONE))
        abort();
    char *copy = base + size - page - len;
    memcpy(copy, data, len);
    return copy;
}

void guard_free(char *copy, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = mapped(len);
    (void)munmap(copy + len + page - size, size);
}
