#include "tests/unit/gate/tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/check.h"

char *tree_make(void)
{
    char *root = strdup("/tmp/pitwall-tree-XXXXXX");
    assert_non_null(root);
    assert_non_null(mkdtemp(root));
    return root;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

void tree_remove(char *root)
{
    assert_int_equal(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    free(root);
}

void tree_write(const char *root, const char *path, const char *fmt, ...)
{
    char full[512];
    va_list ap;
    (void)snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        assert_true(!mkdir(full, 0755) || errno == EEXIST);
        *p = '/';
    }
    /* Rewritten in place: whoever holds it open reads the new text. */
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    va_start(ap, fmt);
    assert_true(vfprintf(f, fmt, ap) >= 0);
    va_end(ap);
    assert_int_equal(fclose(f), 0);
}
