#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/ca_folder.h"
#include "tests/lib/check.h"
#include "tests/unit/controller/papers.h"

#define NOON 1796126400 /* 2026-12-01 12:00:00 UTC: 20788 d x 86400 + 43200 */
#define DAY  86400

static char dir[64], path[128];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/pitwall-ca-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    static const char *const names[] = {
        "agents-ca.crt",      "agents-ca.key", "controllers-ca.crt",
        "controllers-ca.key", "srv/ca.pem",    "srv/cert.pem",
        "srv/key.pem",        "op/ca.pem",     "op/cert.pem",
        "op/key.pem",         "srv",           "op"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        (void)remove(path);
    }
    return rmdir(dir);
}

static enum err issue(const char *name, enum ca_role role, bool renew,
                      int64_t *until_s, struct why *why)
{
    const struct ca_folder_wish wish = {.dir = dir,
                                        .name = name,
                                        .role = role,
                                        .now_s = NOON,
                                        .valid_s = 90 * DAY,
                                        .renew = renew};
    return ca_folder_issue(&wish, until_s, why);
}

static enum err load(struct creds *creds, const char *name, bool agent,
                     struct why *why)
{
    struct tls_files files;
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    check_ok(tls_files_folder(&files, path, why), *why);
    return creds_load(creds, &files, agent, why);
}

static void ca_folder_issue_makes_what_creds_load_takes(void **state)
{
    struct why why = {0};
    struct creds creds;
    int64_t until_s = 0;
    (void)state;
    check_ok(ca_folder_init(dir, NOON, &why), why);
    check_ok(issue("srv", CA_AGENT, false, &until_s, &why), why);
    assert_int_equal(until_s, NOON + 90 * DAY);
    check_ok(load(&creds, "srv", true, &why), why);
    assert_string_equal(creds.own.name, "srv");
    assert_true(creds.own.agent && !creds.own.controller);
    assert_false(creds.own.authority);
    assert_int_equal(creds.own.from_s, NOON - DAY);
    assert_int_equal(creds.own.until_s, NOON + 90 * DAY);
    creds_free(&creds);
    check_ok(issue("op", CA_CONTROLLER, false, &until_s, &why), why);
    check_ok(load(&creds, "op", false, &why), why);
    assert_true(creds.own.controller && !creds.own.agent);
    creds_free(&creds);
}

static void credentials_of_the_other_role_are_refused(void **state)
{
    struct why why = {0};
    struct creds creds;
    int64_t until_s = 0;
    (void)state;
    check_ok(ca_folder_init(dir, NOON, &why), why);
    check_ok(issue("srv", CA_AGENT, false, &until_s, &why), why);
    check_err(load(&creds, "srv", false, &why), ERR_INVALID);
    check_says(why, "srv/cert.pem");
    check_says(why, "--role controller");
    assert_null(creds.key);
}

static void a_key_that_others_may_open_is_refused(void **state)
{
    struct why why = {0};
    struct creds creds;
    struct stat st;
    int64_t until_s = 0;
    (void)state;
    check_ok(ca_folder_init(dir, NOON, &why), why);
    check_ok(issue("srv", CA_AGENT, false, &until_s, &why), why);
    (void)snprintf(path, sizeof path, "%s/srv/key.pem", dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(chmod(path, 0640), 0);
    check_err(load(&creds, "srv", true, &why), ERR_PERMISSION);
    check_says(why, "srv/key.pem");
    check_says(why, "0640");
    (void)snprintf(path, sizeof path, "%s/agents-ca.key", dir);
    assert_int_equal(chmod(path, 0604), 0);
    check_err(issue("op", CA_AGENT, false, &until_s, &why), ERR_PERMISSION);
}

static void what_is_there_is_not_replaced_unasked(void **state)
{
    struct why why = {0};
    struct creds before, after;
    int64_t until_s = 0;
    (void)state;
    check_ok(ca_folder_init(dir, NOON, &why), why);
    check_err(ca_folder_init(dir, NOON, &why), ERR_EXISTS);
    check_ok(issue("srv", CA_AGENT, false, &until_s, &why), why);
    check_ok(load(&before, "srv", true, &why), why);
    check_err(issue("srv", CA_AGENT, false, &until_s, &why), ERR_EXISTS);
    check_says(why, "--renew");
    check_ok(issue("srv", CA_AGENT, true, &until_s, &why), why);
    check_ok(load(&after, "srv", true, &why), why);
    assert_string_not_equal(before.key, after.key);
    check_err(cert_owns(after.cert, before.key, &why), ERR_INVALID);
    creds_free(&before);
    creds_free(&after);
}

static void no_certificate_outlives_its_authority(void **state)
{
    struct why why = {0};
    struct ca_pair authority, pair;
    struct cert cert;
    struct ca_wish wish = {.name = "short-ca",
                           .authority = true,
                           .role = CA_AGENT,
                           .from_s = NOON,
                           .until_s = NOON + DAY};
    (void)state;
    check_ok(ca_make(&authority, &wish, NULL, &why), why);
    wish.name = "srv";
    wish.authority = false;
    wish.until_s = NOON + 90 * DAY;
    check_ok(ca_make(&pair, &wish, &authority, &why), why);
    check_ok(cert_read(&cert, pair.cert, &why), why);
    assert_int_equal(cert.until_s, NOON + DAY);
    wish.from_s = NOON + DAY;
    check_err(ca_make(&pair, &wish, &authority, &why), ERR_INVALID);
    check_says(why, "expired");
    wish.from_s = NOON;
    check_err(ca_make(&pair, &wish, &pair, &why), ERR_INVALID);
}

static void ca_name_accepts_what_is_safe_in_paths(void **state)
{
    static const char *const bad[] = {"",    ".",     "..",       "-x", "a/b",
                                      "a b", "a,O=b", "\xc3\xa4", "a\n"};
    struct why why = {0};
    char longest[66];
    (void)state;
    check_ok(ca_name("rack-1.lab_2", &why), why);
    memset(longest, 'a', 65);
    longest[65] = '\0';
    check_err(ca_name(longest, &why), ERR_USAGE);
    longest[64] = '\0';
    check_ok(ca_name(longest, &why), why);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(ca_name(bad[i], &why), ERR_USAGE);
}

static void cert_show_fault_tells_what_is_wrong_with_its_time(void **state)
{
    const struct cert cert = {.from_s = NOON, .until_s = NOON + DAY};
    char text[64];
    (void)state;
    assert_string_equal(cert_show_fault(&cert, NOON - 1, text, sizeof text),
                        "not valid before 2026-12-01 12:00Z");
    assert_string_equal(cert_show_fault(&cert, NOON, text, sizeof text), "");
    assert_string_equal(cert_show_fault(&cert, NOON + DAY, text, sizeof text),
                        "");
    assert_string_equal(
        cert_show_fault(&cert, NOON + DAY + 1, text, sizeof text),
        "expired 2026-12-02 12:00Z");
}

static void creds_load_names_the_file_that_is_none(void **state)
{
    struct why why = {0};
    struct creds creds;
    int64_t until_s = 0;
    (void)state;
    check_ok(ca_folder_init(dir, NOON, &why), why);
    check_ok(issue("srv", CA_AGENT, false, &until_s, &why), why);
    (void)snprintf(path, sizeof path, "%s/srv/ca.pem", dir);
    assert_int_equal(truncate(path, 100), 0);
    check_err(load(&creds, "srv", true, &why), ERR_INVALID);
    check_says(why, "srv/ca.pem");
    (void)snprintf(path, sizeof path, "%s/srv/ca.pem", dir);
    assert_int_equal(truncate(path, CREDS_FILE_MAX + 1), 0);
    check_err(load(&creds, "srv", true, &why), ERR_RANGE);
    check_err(load(&creds, "nobody", true, &why), ERR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            ca_folder_issue_makes_what_creds_load_takes, begin, end),
        cmocka_unit_test_setup_teardown(
            credentials_of_the_other_role_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_key_that_others_may_open_is_refused,
                                        begin, end),
        cmocka_unit_test_setup_teardown(what_is_there_is_not_replaced_unasked,
                                        begin, end),
        cmocka_unit_test(no_certificate_outlives_its_authority),
        cmocka_unit_test(ca_name_accepts_what_is_safe_in_paths),
        cmocka_unit_test(cert_show_fault_tells_what_is_wrong_with_its_time),
        cmocka_unit_test_setup_teardown(creds_load_names_the_file_that_is_none,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
