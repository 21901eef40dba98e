#include <fcntl.h>
#include <sys/stat.h>

#include "load/bulk_file.h"
#include "tests/lib/check.h"
#include "tests/unit/load/folder.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void corpus_hash_is_sha256(void **state)
{
    (void)state;
    struct corpus_hash *h;
    struct why why = {0};
    char hex[CORPUS_HEX_SIZE];
    check_ok(corpus_hash_new(&h, &why), why);
    corpus_hash_add(h, "a", 1);
    corpus_hash_add(h, "bc", 2);
    corpus_hash_end(h, hex); /* FIPS 180-2, appendix B.1 */
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223"
                             "b00361a396177a9cb410ff61f20015ad");
    corpus_hash_free(h);
}

/* n documents: action and source lines of growing length. */
static void write_file(const char *path, unsigned n)
{
    struct bulk_writer *w;
    struct why why = {0};
    char doc[600];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check_ok(bulk_writer_new(&w, fd, path, &why), why);
    for (unsigned i = 0; i < n; i++) {
        int len = snprintf(doc, sizeof doc, "{\"index\":{}}\n{\"i\":%*u}\n",
                           (int)(i % 500), i);
        check_ok(bulk_writer_add(w, doc, (size_t)len, &why), why);
    }
    check_ok(bulk_writer_end(w, KEY, &why), why);
    bulk_writer_free(w);
    close(fd);
}

static void bulk_file_finds_every_document(void **state)
{
    (void)state;
    char dir[64], path[80];
    struct bulk_file *f;
    struct why why = {0};
    folder_make(dir);
    (void)snprintf(path, sizeof path, "%s/f", dir);
    write_file(path, 1000);
    check_ok(bulk_file_open(&f, path, KEY, NULL, &why), why);
    assert_int_equal(f->docs, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        const char *doc = f->data + bulk_file_at(f, i);
        assert_memory_equal(doc, "{\"index\":{}}\n{\"i\":", 18);
        assert_int_equal(strtoul(doc + 18, NULL, 10), i);
    }
    assert_int_equal(bulk_file_at(f, 0), 0);
    assert_int_equal(bulk_file_at(f, 1000), f->bytes);
    assert_int_equal(strlen(f->sha256), 64);
    bulk_file_close(f);
    folder_remove(dir);
}

static void bulk_file_takes_documents_larger_than_its_buffer(void **state)
{
    (void)state;
    char dir[64], path[80];
    struct bulk_writer *w;
    struct bulk_file *f;
    struct why why = {0};
    size_t large = (3 << 20) + 5;
    char *doc = malloc(large);
    folder_make(dir);
    (void)snprintf(path, sizeof path, "%s/f", dir);
    memset(doc, 'x', large);
    doc[1] = doc[large - 1] = '\n';
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    check_ok(bulk_writer_new(&w, fd, path, &why), why);
    check_ok(bulk_writer_add(w, "a\nb\n", 4, &why), why);
    check_ok(bulk_writer_add(w, doc, large, &why), why);
    check_ok(bulk_writer_add(w, "c\nd\n", 4, &why), why);
    assert_int_equal(bulk_writer_bytes(w), large + 8);
    check_ok(bulk_writer_end(w, KEY, &why), why);
    bulk_writer_free(w);
    close(fd);
    check_ok(bulk_file_open(&f, path, KEY, NULL, &why), why);
    assert_int_equal(bulk_file_at(f, 2), large + 4);
    assert_memory_equal(f->data, "a\nb\nx\nxxx", 9);
    assert_memory_equal(f->data + large + 3, "\nc\nd\n", 5);
    bulk_file_close(f);
    folder_remove(dir);
    free(doc);
}

static void bulk_file_refuses_what_is_not_whole(void **state)
{
    (void)state;
    char dir[64], path[80];
    struct bulk_file *f;
    struct stat st;
    struct why why = {0};
    folder_make(dir);
    (void)snprintf(path, sizeof path, "%s/f", dir);
    check_err(bulk_file_open(&f, path, KEY, NULL, &why), ERR_NOTFOUND);
    check_says(why, path);
    write_file(path, 40);
    check_err(bulk_file_open(&f, path, "another", NULL, &why), ERR_CORRUPT);
    check_says(why, "is another corpus");
    assert_int_equal(stat(path, &st), 0);
    for (off_t at = 0; at < st.st_size; at++) { /* any byte changed */
        char c, other;
        int fd = open(path, O_RDWR);
        assert_int_equal(pread(fd, &c, 1, at), 1);
        other = (char)(c ^ 4);
        assert_int_equal(pwrite(fd, &other, 1, at), 1);
        enum err e = bulk_file_open(&f, path, KEY, NULL, &why);
        off_t from = (st.st_size - 4) / 8 * 8;
        /* zeros between documents and offsets are nobody's */
        if (!e)
            assert_true(c == 0 && at < from);
        else
            assert_string_equal(err_name(e), "CORRUPT");
        bulk_file_close(f);
        assert_int_equal(pwrite(fd, &c, 1, at), 1);
        close(fd);
    }
    for (off_t len = st.st_size - 1; len >= 0; len--) { /* any end missing */
        assert_int_equal(truncate(path, len), 0);
        check_err(bulk_file_open(&f, path, KEY, NULL, &why), ERR_CORRUPT);
        assert_null(f);
    }
    folder_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_hash_is_sha256),
        cmocka_unit_test(bulk_file_finds_every_document),
        cmocka_unit_test(bulk_file_takes_documents_larger_than_its_buffer),
        cmocka_unit_test(bulk_file_refuses_what_is_not_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
