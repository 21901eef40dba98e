#include <stdlib.h>
#include <unistd.h>

#include "agent/watch/digest.h"
#include "tests/lib/check.h"

static void digest_is_sha_256_of_the_content(void **state)
{
    char path[] = "/tmp/pitwall-digest-XXXXXX", hex[DIGEST_HEX_SIZE];
    struct why why = {0};
    int fd = mkstemp(path);
    (void)state;
    check_ok(digest_file(path, hex, &why), why);
    /* FIPS 180-4's vectors for "" and "abc" */
    assert_string_equal(hex,
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca4"
                        "95991b7852b855");
    assert_int_equal(write(fd, "abc", 3), 3);
    check_ok(digest_file(path, hex, &why), why);
    assert_string_equal(hex,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb4"
                        "10ff61f20015ad");
    (void)close(fd);
    (void)unlink(path);
}

static void digest_refuses_what_is_no_file(void **state)
{
    char hex[DIGEST_HEX_SIZE];
    struct why why;
    (void)state;
    check_err(digest_file("/nowhere", hex, &why), ERR_NOTFOUND);
    check_says(why, "/nowhere");
    check_err(digest_file("/tmp", hex, &why), ERR_INVALID);
    assert_string_equal(hex, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digest_is_sha_256_of_the_content),
        cmocka_unit_test(digest_refuses_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
