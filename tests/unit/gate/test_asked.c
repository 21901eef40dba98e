#include "agent/gate/asked.h"
#include "tests/lib/check.h"

static void push(struct asked *a, unsigned slot, uint64_t due_ns)
{
    const struct request r = {.op = MSG_STATUS, .seq = 100 + slot};
    asked_push(a, slot, &r, due_ns);
}

static void asked_pop_gives_the_oldest_first(void **state)
{
    (void)state;
    static struct asked a;
    assert_null(asked_pop(&a));
    /* Around the ring more than once. */
    for (unsigned i = 0; i < 3 * ASKED_MAX; i++) {
        push(&a, i, i);
        push(&a, 1000 + i, i);
        const struct asked_entry *e = asked_pop(&a);
        assert_int_equal(e->slot, i);
        assert_int_equal(e->request.seq, 100 + i);
        assert_int_equal(asked_pop(&a)->slot, 1000 + i);
    }
    assert_null(asked_pop(&a));
}

static void asked_is_full_at_its_size(void **state)
{
    (void)state;
    static struct asked a;
    for (unsigned i = 0; i < ASKED_MAX; i++) {
        assert_false(asked_full(&a));
        push(&a, i, 0);
    }
    assert_true(asked_full(&a));
    assert_non_null(asked_pop(&a));
    assert_false(asked_full(&a));
}

static void asked_give_up_once_and_keep_the_place(void **state)
{
    (void)state;
    static struct asked a;
    assert_int_equal(asked_due_ns(&a), UINT64_MAX);
    push(&a, 1, 1000);
    push(&a, 2, 2000);
    assert_int_equal(asked_due_ns(&a), 1000);
    assert_null(asked_give_up(&a, 999));
    const struct asked_entry *late = asked_give_up(&a, 1000);
    assert_int_equal(late->slot, 1);
    assert_null(asked_give_up(&a, 1000));
    assert_int_equal(asked_due_ns(&a), 2000);
    /* The answer that comes at last is still the first one's. */
    late = asked_pop(&a);
    assert_int_equal(late->slot, 1);
    assert_true(late->given_up);
    assert_false(asked_pop(&a)->given_up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked_pop_gives_the_oldest_first),
        cmocka_unit_test(asked_is_full_at_its_size),
        cmocka_unit_test(asked_give_up_once_and_keep_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
