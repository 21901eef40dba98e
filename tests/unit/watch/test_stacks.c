/* Names of this program's own functions, and stacks folded by them. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/watch/elf.h"
#include "agent/watch/stacks.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/tree.h"
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

/* A /proc with this process, the kernel's symbols and a map of made code. */
struct world {
    char *root;
    int fds[2];
    uint8_t ring[65536];
    struct emit emit;
    struct stacks *stacks;
};

static void link_into(const char *root, const char *what)
{
    char to[96], from[128];
    (void)snprintf(to, sizeof to, "/proc/self/%s", what);
    (void)snprintf(from, sizeof from, "%s/7/%s", root, what);
    assert_int_equal(symlink(to, from), 0);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->root = tree_make();
    tree_write(w->root, "7/status", "NSpid:\t4\nSigCgt:\t0000000000000000\n");
    link_into(w->root, "maps");
    tree_write(w->root, "kallsyms",
               "ffffffff81000000 T _stext\nffffffff81001000 T tcp_recvmsg\n");
    assert_int_equal(pipe(w->fds), 0);
    emit_init(&w->emit, "target", w->fds[1], w->ring, sizeof w->ring);
    check_ok(stacks_open(&w->stacks, w->root, NULL), (struct why){""});
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    stacks_close(w->stacks);
    emit_fini(&w->emit);
    (void)close(w->fds[0]);
    (void)close(w->fds[1]);
    tree_remove(w->root);
    free(w);
    return 0;
}

static void add(struct world *w, const uint64_t *words, size_t n)
{
    struct stacks_process *p = stacks_process(w->stacks, 7, "own; name");
    assert_non_null(p);
    stacks_add(w->stacks, p, (const uint8_t *)words, n * sizeof *words);
}

/* How often a stack of that text was found; of n different ones in all. */
static uint64_t samples(struct world *w, const char *text, size_t n)
{
    uint64_t found = 0;
    stacks_emit(w->stacks, &w->emit);
    struct records *r = records_read(w->fds[0]);
    assert_int_equal(records_count(r, RECORD_IS_stack), n);
    for (size_t i = 0; i < n; i++) {
        const struct record_stack *s =
            &records_at(r, RECORD_IS_stack, i)->as.stack;
        assert_string_equal(s->side, "target");
        if (!strcmp(s->stack, text))
            found = s->samples;
    }
    free(r);
    return found;
}

static void stacks_fold_by_names_from_the_outermost_in(void **state)
{
    struct world *w = *state;
    assert_int_equal(a_function_of_ours(1), 3);
    uint64_t at = (uint64_t)(uintptr_t)&a_function_of_ours;
    const uint64_t frames[] = {CONTEXT_KERNEL, 0xffffffff81001010, CONTEXT_USER,
                               at + 1, 16};
    for (int i = 0; i < 3; i++)
        add(w, frames, 5);
    add(w, frames + 3, 1);
    add(w, frames, 0);
    assert_int_equal(
        samples(w, "own; name;[unknown];a_function_of_ours;tcp_recvmsg_[k]", 3),
        3);
}

static void what_the_kernel_does_not_name_is_one_frame(void **state)
{
    struct world *w = *state;
    const uint64_t frames[] = {CONTEXT_KERNEL, 0xffffffff80000010,
                               0xffffffff80000020, CONTEXT_USER, 16};
    add(w, frames, 5);
    assert_int_equal(samples(w, "own; name;[unknown];[kernel]", 1), 1);
}

/* The file is written while samples are taken, and read at the end. */
static void made_code_has_the_names_of_its_map(void **state)
{
    struct world *w = *state;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t at = (uint64_t)(uintptr_t)code;
    const uint64_t frames[] = {CONTEXT_USER, at + 20, at + 200};
    add(w, frames, 3);
    tree_write(w->root, "7/root/tmp/perf-4.map", "%llx 40 Server;::run(int)\n",
               (unsigned long long)at);
    assert_int_equal(samples(w, "own; name;[anonymous];Server_::run(int)", 1),
                     1);
    (void)munmap(code, 4096);
}

/* 254 frames of 60 letters are 15,494 bytes; a record has 8,191. */
static void a_long_stack_lacks_its_outermost_frames(void **state)
{
    struct world *w = *state;
    char want[8192] = "own; name;[cut]";
    static const char name[] =
        ";a_name_of_sixty_letters_is_what_a_Java_method_often_has_abcde";
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t at = (uint64_t)(uintptr_t)code, frames[254];
    for (size_t i = 0; i < 254; i++)
        frames[i] = at;
    add(w, frames, 254);
    tree_write(w->root, "7/root/tmp/perf-4.map", "%llx 40 %s\n",
               (unsigned long long)at, name + 1);
    /* 15 bytes, then 62 each: 131 x 62 = 8122, one more would be 8199. */
    for (size_t i = 0, n = strlen(want); i < 131; i++)
        n += (size_t)sprintf(want + n, "%s", name);
    assert_int_equal(samples(w, want, 1), 1);
    (void)munmap(code, 4096);
}

/* A million addresses are folded when they fill the room for them. */
static void more_samples_than_there_is_room_for_are_folded(void **state)
{
    struct world *w = *state;
    const uint64_t frames[] = {CONTEXT_USER, 16, 32, 48, 64, 80, 96};
    for (unsigned i = 0; i < STACKS_RAW_WORDS / 4; i++)
        add(w, frames, 7);
    assert_int_equal(samples(w,
                             "own; name;[unknown];[unknown];[unknown];"
                             "[unknown];[unknown];[unknown]",
                             1),
                     STACKS_RAW_WORDS / 4);
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

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elf_finds_no_function_in_what_is_no_elf_file),
        cmocka_unit_test(elf_stays_inside_a_file_cut_short),
        CASE(stacks_fold_by_names_from_the_outermost_in),
        CASE(what_the_kernel_does_not_name_is_one_frame),
        CASE(made_code_has_the_names_of_its_map),
        CASE(a_long_stack_lacks_its_outermost_frames),
        CASE(more_samples_than_there_is_room_for_are_folded),
        cmocka_unit_test(stacks_have_no_room_for_many_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
