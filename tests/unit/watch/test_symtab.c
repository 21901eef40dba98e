/* Tables of the kernel's symbols and of code that was made. */
#include <stdlib.h>

#include "agent/watch/status.h"
#include "agent/watch/symtab.h"
#include "tests/lib/check.h"

static void take(struct symtab *t, enum symtab_kind kind, const char *text)
{
    symtab_take(t, kind, strdup(text), strlen(text));
}

#define names(table, address, want)                                            \
    do {                                                                       \
        char name_[64] = "";                                                   \
        assert_true(symtab_name(table, address, name_, sizeof name_));         \
        assert_string_equal(name_, want);                                      \
    } while (0)

static void the_kernels_functions_reach_to_the_next(void **state)
{
    (void)state;
    struct symtab t;
    char name[64];
    take(&t, SYMTAB_KERNEL,
         "ffffffff81000000 T _stext\n"
         "ffffffff81002000 d some_data\n"
         "ffffffff81001000 t do_syscall_64\n"
         "ffffffffc0000000 t tbf_enqueue\t[sch_tbf]\n"
         "not a line\n"
         "ffffffff81003000 T");
    assert_int_equal(t.n, 3);
    names(&t, 0xffffffff81000000, "_stext");
    names(&t, 0xffffffff81000fff, "_stext");
    names(&t, 0xffffffff81002500, "do_syscall_64");
    names(&t, 0xffffffffc0000010, "tbf_enqueue");
    assert_false(symtab_name(&t, 0xffffffff80ffffff, name, sizeof name));
    symtab_fini(&t);
}

static void a_kernel_that_hides_its_addresses_has_no_names(void **state)
{
    (void)state;
    struct symtab t;
    take(&t, SYMTAB_KERNEL,
         "0000000000000000 T _stext\n0000000000000000 T _etext\n");
    assert_int_equal(t.n, 0);
    symtab_fini(&t);
    symtab_take(&t, SYMTAB_KERNEL, NULL, 0);
    assert_int_equal(t.n, 0);
    symtab_fini(&t);
    symtab_read(&t, SYMTAB_KERNEL, -1);
    assert_int_equal(t.n, 0);
    symtab_fini(&t);
}

/* Code is made anew where old code was: the later line holds. Small pieces lie
 * within larger ones. */
static void made_code_ends_and_is_replaced(void **state)
{
    (void)state;
    struct symtab t;
    char name[64];
    take(&t, SYMTAB_MADE,
         "7f0000001000 100 Interpreter\n"
         "0x00007f0000001010 0x0000000000000008 stub one\n"
         "7f0000002000 40 old::method\n"
         "7f0000002000 40 new::method(int, long)\n"
         "7f0000003000 0 nothing\n"
         "7f0000003000 zz nothing\n"
         "7f00000040000000000000000 10 long\n");
    assert_int_equal(t.n, 4);
    names(&t, 0x7f0000001000, "Interpreter");
    names(&t, 0x7f0000001017, "stub one");
    names(&t, 0x7f0000001018, "Interpreter");
    names(&t, 0x7f000000203f, "new::method(int, long)");
    assert_false(symtab_name(&t, 0x7f0000001100, name, sizeof name));
    assert_false(symtab_name(&t, 0x7f0000002040, name, sizeof name));
    symtab_fini(&t);
}

static void names_are_cut_to_the_place_for_them(void **state)
{
    (void)state;
    struct symtab t;
    char name[6];
    take(&t, SYMTAB_MADE, "1000 10 abcdefghij");
    assert_true(symtab_name(&t, 0x1000, name, sizeof name));
    assert_string_equal(name, "abcde");
    symtab_fini(&t);
}

static void status_tells_the_innermost_pid_and_signals(void **state)
{
    (void)state;
    struct status s;
    static const char text[] = "Name:\tjava\nNSpid:\t4711\t12\t3\n"
                               "SigCgt:\t0000000181005ccf\n";
    assert_true(status_parse(text, sizeof text - 1, &s));
    assert_int_equal(s.own_pid, 3);
    /* ...ccf = 1100 1100 1111: signals 1 2 3 4, 7 8, 11 12 */
    assert_true(s.caught & 1u << 2);
    assert_false(s.caught & 1u << 4);
    size_t no_mask = (size_t)(strstr(text, "SigCgt:") + 8 - text);
    for (size_t n = 0; n <= no_mask; n++)
        assert_false(status_parse(text, n, &s));
    assert_false(status_parse("NSpid:\t9999999999\nSigCgt:\t0\n", 28, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernels_functions_reach_to_the_next),
        cmocka_unit_test(a_kernel_that_hides_its_addresses_has_no_names),
        cmocka_unit_test(made_code_ends_and_is_replaced),
        cmocka_unit_test(names_are_cut_to_the_place_for_them),
        cmocka_unit_test(status_tells_the_innermost_pid_and_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
