/* Names of this program's own functions, and stacks folded by them. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/watch/elf.h"
#include "agent/watch/stacks.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/records.h"

#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER   ((uint64_t)-512)

__attribute__((noinline)) static int a_function_of_ours(int n)
{
    return n * 3;
}

static size_t read_self(uint8_t **data)
{
    FILE *f = fopen("/proc/self/exe", "re");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    size_t len = (size_t)ftell(f);
    rewind(f);
    *data = malloc(len);
    assert_non_null(*data);
    assert_int_equal(fread(*data, 1, len, f), len);
    (void)fclose(f);
    return len;
}

static void elf_finds_no_function_in_what_is_no_elf_file(void **state)
{
    (void)state;
    struct elf elf;
    char name[64];
    const uint8_t text[100] = "#!/bin/sh\n";
    elf_init(&elf, text, sizeof text);
    assert_int_equal(elf.n, 0);
    assert_false(elf_name(&elf, 0, name, sizeof name));
    elf_fini(&elf);
}

static void elf_stays_inside_a_file_cut_short(void **state)
{
    (void)state;
    uint8_t *data = NULL;
    size_t len = read_self(&data);
    char name[64];
    for (size_t i = 0; i <= 64; i++) {
        struct elf elf;
        size_t n = i < 32 ? 4 * i : len / 64 * i;
        uint8_t *cut = malloc(n + 1);
        memcpy(cut, data, n);
        elf_init(&elf, cut, n);
        (void)elf_name(&elf, n / 2, name, sizeof name);
        elf_fini(&elf);
        free(cut);
    }
    free(data);
}

static void stacks_fold_by_names_from_the_outermost_in(void **state)
{
    (void)state;
    struct stacks *stacks = NULL;
    struct why why = {0};
    int fds[2];
    uint8_t ring[65536];
    struct emit emit;
    assert_int_equal(a_function_of_ours(1), 3);
    uint64_t at = (uint64_t)(uintptr_t)&a_function_of_ours;
    const uint64_t frames[] = {CONTEXT_KERNEL, 0xffffffff81000000, CONTEXT_USER,
                               at + 1, 16};
    assert_int_equal(pipe(fds), 0);
    emit_init(&emit, "target", fds[1], ring, sizeof ring);
    check_ok(stacks_open(&stacks, "/proc", &why), why);
    struct stacks_process *p = stacks_process(stacks, getpid(), "own; name");
    assert_non_null(p);
    assert_ptr_equal(stacks_process(stacks, getpid(), "own; name"), p);
    for (int i = 0; i < 3; i++)
        stacks_add(stacks, p, (const uint8_t *)frames, sizeof frames);
    stacks_add(stacks, p, (const uint8_t *)&frames[3], 8);
    stacks_add(stacks, p, (const uint8_t *)frames, 7); /* less than one */
    stacks_emit(stacks, &emit);
    struct records *r = records_read(fds[0]);
    assert_int_equal(r->n, 3);
    bool seen = false;
    for (size_t i = 0; i < 3; i++) {
        const struct record_stack *s =
            &records_at(r, RECORD_IS_stack, i)->as.stack;
        assert_string_equal(s->side, "target");
        if (strcmp(s->stack,
                   "own; name;[unknown];a_function_of_ours;[kernel]") != 0)
            continue;
        seen = true;
        assert_int_equal(s->samples, 3);
    }
    assert_true(seen);
    free(r);
    stacks_close(stacks);
    emit_fini(&emit);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

static void stacks_have_no_room_for_many_processes(void **state)
{
    (void)state;
    struct stacks *stacks = NULL;
    struct why why = {0};
    check_ok(stacks_open(&stacks, "/nonexistent", &why), why);
    for (int pid = 1; pid <= 16; pid++)
        assert_non_null(stacks_process(stacks, pid, "x"));
    assert_null(stacks_process(stacks, 17, "x"));
    stacks_close(stacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elf_finds_no_function_in_what_is_no_elf_file),
        cmocka_unit_test(elf_stays_inside_a_file_cut_short),
        cmocka_unit_test(stacks_fold_by_names_from_the_outermost_in),
        cmocka_unit_test(stacks_have_no_room_for_many_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
