#include "agent/gate/hostinfo.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static const char cpuinfo[] =
    "processor\t: 0\nvendor_id\t: GenuineIntel\n"
    "model name\t: Intel(R) Xeon(R) Processor\ncpu MHz\t\t: 2299.998\n"
    "flags\t\t: fpu vme hypervisor lahf_lm\n\n"
    "processor\t: 1\nmodel name\t: Another\ncpu MHz\t\t: 1.0\n";

static void hostinfo_cpu_counts_and_takes_the_first(void **state)
{
    (void)state;
    struct hostinfo_cpu c;
    hostinfo_cpu(cpuinfo, strlen(cpuinfo), &c);
    assert_int_equal(c.cpus, 2);
    assert_string_equal(c.model, "Intel(R) Xeon(R) Processor");
    assert_string_equal(c.mhz, "2299.998");
    assert_true(c.hypervisor);
}

static void hostinfo_cpu_reads_a_machine_without_names(void **state)
{
    (void)state;
    const char arm[] = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp\n"
                       "processor\t: 1\nflags : nohypervisor\n";
    struct hostinfo_cpu c;
    hostinfo_cpu(arm, strlen(arm), &c);
    assert_int_equal(c.cpus, 2);
    assert_string_equal(c.model, "");
    assert_false(c.hypervisor); /* another word */
}

static void hostinfo_cpu_cuts_a_long_model(void **state)
{
    (void)state;
    char text[400] = "model name: ";
    struct hostinfo_cpu c;
    memset(text + 12, 'm', sizeof text - 12);
    hostinfo_cpu(text, sizeof text, &c);
    assert_int_equal(strlen(c.model), sizeof c.model - 1);
}

static void hostinfo_meminfo_gives_bytes(void **state)
{
    (void)state;
    const char text[] = "MemTotal:       24684084 kB\nMemFree: 1 kB\n"
                        "SwapTotal:             0 kB\n"
                        "Huge: 18446744073709551615 kB\nNone: kB\n";
    uint64_t bytes = 9;
    assert_true(hostinfo_meminfo(text, strlen(text), "MemTotal", &bytes));
    assert_int_equal(bytes, 25276502016); /* 24684084 * 1024 */
    assert_true(hostinfo_meminfo(text, strlen(text), "SwapTotal", &bytes));
    assert_int_equal(bytes, 0);
    assert_false(hostinfo_meminfo(text, strlen(text), "Mem", &bytes));
    assert_false(hostinfo_meminfo(text, strlen(text), "Huge", &bytes));
    assert_false(hostinfo_meminfo(text, strlen(text), "None", &bytes));
}

static void hostinfo_os_release_takes_off_quotes(void **state)
{
    (void)state;
    const char text[] = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
                        "NAME=x\nID=debian\nODD=\"\nEMPTY=\n";
    char out[32];
    assert_true(hostinfo_os_release(text, strlen(text), "PRETTY_NAME", out,
                                    sizeof out));
    assert_string_equal(out, "Debian GNU/Linux 12 (bookworm)");
    assert_true(hostinfo_os_release(text, strlen(text), "ID", out, sizeof out));
    assert_string_equal(out, "debian");
    assert_true(
        hostinfo_os_release(text, strlen(text), "ODD", out, sizeof out));
    assert_string_equal(out, "\"");
    assert_true(
        hostinfo_os_release(text, strlen(text), "EMPTY", out, sizeof out));
    assert_string_equal(out, "");
    assert_false(
        hostinfo_os_release(text, strlen(text), "PRETTY", out, sizeof out));
    assert_true(hostinfo_os_release(text, strlen(text), "PRETTY_NAME", out, 7));
    assert_string_equal(out, "Debian");
}

static void choice_is(const char *text, const char *want)
{
    char out[32];
    hostinfo_choice(text, strlen(text), out, sizeof out);
    assert_string_equal(out, want);
}

static void hostinfo_choice_takes_the_word_in_brackets(void **state)
{
    (void)state;
    choice_is("always [madvise] never\n", "madvise");
    choice_is("[always] madvise never", "always");
    choice_is("always madvise\nx [y]\n", "always madvise");
    choice_is("a [b", "a [b");
    choice_is("", "");
}

static void list_is(const char *text, uint32_t want)
{
    assert_int_equal(hostinfo_list(text, strlen(text)), want);
}

static void hostinfo_list_counts(void **state)
{
    (void)state;
    list_is("0\n", 1);
    list_is("0-3\n", 4);
    list_is("0-1,4,8-15", 11);
    list_is("", 0);
    list_is("x", 0);
    list_is("3-1", 0);
    list_is("0-", 0);
    list_is("0;1", 0);
    list_is("0-18446744073709551615", 0);
    list_is("0-4294967290,0-4294967290", 0);
    list_is("99999999999999999999", 0);
}

static void hostinfo_stays_inside_the_text(void **state)
{
    (void)state;
    for (size_t n = 0; n <= strlen(cpuinfo); n++) {
        struct hostinfo_cpu c;
        uint64_t bytes = 0;
        char out[16];
        char *copy = guard_copy(cpuinfo, n);
        hostinfo_cpu(copy, n, &c);
        (void)hostinfo_meminfo(copy, n, "cpu MHz", &bytes);
        (void)hostinfo_os_release(copy, n, "processor", out, sizeof out);
        hostinfo_choice(copy, n, out, sizeof out);
        (void)hostinfo_list(copy, n);
        guard_free(copy, n);
    }
    const char list[] = "10-12,3";
    for (size_t n = 0; n <= strlen(list); n++) {
        char *copy = guard_copy(list, n);
        (void)hostinfo_list(copy, n);
        guard_free(copy, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostinfo_cpu_counts_and_takes_the_first),
        cmocka_unit_test(hostinfo_cpu_reads_a_machine_without_names),
        cmocka_unit_test(hostinfo_cpu_cuts_a_long_model),
        cmocka_unit_test(hostinfo_meminfo_gives_bytes),
        cmocka_unit_test(hostinfo_os_release_takes_off_quotes),
        cmocka_unit_test(hostinfo_choice_takes_the_word_in_brackets),
        cmocka_unit_test(hostinfo_list_counts),
        cmocka_unit_test(hostinfo_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
