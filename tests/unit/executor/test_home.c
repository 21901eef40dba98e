#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/facts.h"
#include "agent/executor/home.h"
#include "agent/executor/target.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static void home_is_made_with_all_that_leads_to_it(void **state)
{
    const struct scratch *s = *state;
    struct home home;
    struct stat st;
    struct why why;
    char path[100];
    unsigned sealed = 9;
    (void)snprintf(path, sizeof path, "%s/a/b", s->path);
    check_ok(home_open(&home, path, &sealed, &why), why);
    assert_int_equal(sealed, 0);
    assert_int_equal(fstatat(s->fd, "a/b/attempts", &st, 0), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(fstatat(s->fd, "a/b", &st, 0), 0);
    assert_int_equal(st.st_mode & 0777, 0711);
    home_close(&home);
}

static void home_has_one_agent(void **state)
{
    const struct scratch *s = *state;
    struct home home, other;
    struct why why;
    unsigned sealed;
    check_ok(home_open(&home, s->path, &sealed, &why), why);
    check_err(home_open(&other, s->path, &sealed, &why), ERR_BUSY);
    check_says(why, "another pitwall-agent has it");
    check_says(why, s->path);
    assert_int_equal(other.state, -1);
    home_close(&home);
    check_ok(home_open(&other, s->path, &sealed, &why), why);
    home_close(&other);
}

static void home_counts_what_it_sealed(void **state)
{
    const struct scratch *s = *state;
    struct home home;
    struct why why;
    unsigned sealed;
    assert_int_equal(mkdirat(s->fd, "attempts", 0700), 0);
    assert_int_equal(mkdirat(s->fd, "attempts/x-1-1", 0700), 0);
    assert_int_equal(mkdirat(s->fd, "attempts/x-2-1", 0700), 0);
    check_ok(home_open(&home, s->path, &sealed, &why), why);
    assert_int_equal(sealed, 2);
    home_close(&home);
}

static void home_says_which_folder_cannot_be_made(void **state)
{
    const struct scratch *s = *state;
    struct home home;
    struct why why;
    char path[100];
    unsigned sealed;
    scratch_write(s, "file", "", 0);
    (void)snprintf(path, sizeof path, "%s/file/state", s->path);
    assert_int_not_equal(home_open(&home, path, &sealed, &why), ERR_OK);
    check_says(why, "/file/state");
}

/* Facts as texts -------------------------------------------------------------
 */

static void facts_list_features_and_what_is_missing(void **state)
{
    struct facts f = {.mode = FACTS_NETNS,
                      .veth = true,
                      .tbf = true,
                      .netem = true,
                      .perf = {.stacks = true, .reads = true}};
    char text[1025];
    (void)state;
    facts_features(&f, text, sizeof text);
    assert_string_equal(text, "netns,veth,tbf,netem,journal,perf,reads");
    facts_missing(&f, text, sizeof text);
    assert_string_equal(text, "");
    f.mode = FACTS_USERNS;
    f.tbf = f.netem = f.perf.reads = false;
    strcpy(f.perf.reads_missing, "not root");
    facts_features(&f, text, sizeof text);
    assert_string_equal(text, "userns,veth,perf");
    facts_missing(&f, text, sizeof text);
    assert_string_equal(text,
                        "no rate on links: this kernel has no tbf (modprobe "
                        "sch_tbf); no delay on links: this kernel has no netem "
                        "(modprobe sch_netem); no settings of the whole "
                        "machine: run pitwall-agent as root; no telemetry "
                        "reads: not root");
}

static void facts_of_a_plain_machine_say_how_to_allow_more(void **state)
{
    struct facts f = {.mode = FACTS_PLAIN, .refusal = "cage: no"};
    char text[513];
    (void)state;
    facts_features(&f, text, sizeof text);
    assert_string_equal(text, "plain");
    facts_missing(&f, text, sizeof text);
    assert_non_null(strstr(text, "no namespaces (cage: no): only plain"));
    assert_non_null(strstr(text, "run pitwall-agent as root, or allow user"));
}

static void facts_of_this_machine_fit_together(void **state)
{
    struct facts f;
    struct why why;
    (void)state;
    check_ok(facts_probe(&f, "", &why), why);
    assert_int_equal(strlen(f.boot_id), 36);
    assert_true(CPU_COUNT(&f.cpus) > 0);
    if (f.mode == FACTS_PLAIN)
        assert_true(f.refusal[0] && !f.veth && !f.tbf);
    check_err(facts_probe(&f, "1023", &why), ERR_INVALID);
    check_says(why, "cpus 1023: none of them is here");
}

static void target_table_has_the_builtin_one(void **state)
{
    const struct target_def *def = NULL;
    char names[64];
    struct why why;
    (void)state;
    check_ok(target_find(NULL, "pitwall", &def, &why), why);
    assert_string_equal(def->program, "pitwall-target");
    assert_true(def->contract);
    target_list(NULL, names, sizeof names);
    assert_string_equal(names, "pitwall");
    check_err(target_find(NULL, "", &def, &why), ERR_NOTFOUND);
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(home_is_made_with_all_that_leads_to_it),
        IN_SCRATCH(home_has_one_agent),
        IN_SCRATCH(home_counts_what_it_sealed),
        IN_SCRATCH(home_says_which_folder_cannot_be_made),
        cmocka_unit_test(facts_list_features_and_what_is_missing),
        cmocka_unit_test(facts_of_a_plain_machine_say_how_to_allow_more),
        cmocka_unit_test(facts_of_this_machine_fit_together),
        cmocka_unit_test(target_table_has_the_builtin_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
