#include "load/deal.h"
#include "tests/lib/check.h"

/* Works of 3 and 2 clients; the second's are from slot 3 on. */
static struct work works[] = {{.clients = 3, .conns = 1},
                              {.clients = 2, .slot = 3, .conns = 2}};

static uint32_t dealt(uint32_t slots, struct share share, uint32_t thread,
                      uint32_t n_threads, struct deal_client *out,
                      uint32_t *conns)
{
    const struct step step = {
        .works = works, .n_works = 2, .slots = slots, .share = share};
    uint32_t counted = deal(&step, thread, n_threads, NULL, conns);
    uint32_t n = deal(&step, thread, n_threads, out, conns);
    assert_int_equal(n, counted);
    return n;
}

static void is(const struct deal_client *c, uint32_t work, uint32_t client,
               uint32_t conn)
{
    assert_int_equal(c->work, work);
    assert_int_equal(c->client, client);
    assert_int_equal(c->conn, conn);
}

static void deal_gives_each_client_its_slot(void **state)
{
    (void)state;
    struct deal_client c[8];
    uint32_t conns;
    assert_int_equal(dealt(5, (struct share){0}, 0, 1, c, &conns), 5);
    assert_int_equal(conns, 7); /* three of one, two of two */
    is(&c[2], 0, 2, 2);
    is(&c[3], 1, 0, 3);
    is(&c[4], 1, 1, 5);
    for (int i = 0; i < 5; i++)
        assert_true(c[i].begins && c[i].ends && c[i].ends_task);
}

static void deal_queues_clients_in_fewer_slots(void **state)
{
    (void)state;
    struct deal_client c[8];
    uint32_t conns;
    /* slot 0: clients 0 and 2 of the first, then 1 of the second (3 + 1 = 4);
     * slot 1: client 1, then 0 of the second */
    assert_int_equal(dealt(2, (struct share){0}, 0, 1, c, &conns), 5);
    assert_int_equal(conns, 4); /* as many as the second needs */
    is(&c[0], 0, 0, 0);
    is(&c[1], 0, 2, 0);
    is(&c[2], 1, 1, 0);
    is(&c[3], 0, 1, 2);
    is(&c[4], 1, 0, 2);
    assert_true(c[0].begins && !c[1].begins && !c[2].begins && c[3].begins);
    assert_true(!c[0].ends && !c[1].ends && c[2].ends && c[4].ends);
    assert_true(!c[0].ends_task && c[1].ends_task && c[2].ends_task);
}

static void deal_takes_turns_between_threads_and_agents(void **state)
{
    (void)state;
    struct deal_client c[8];
    uint32_t conns;
    /* two threads: slots 0 2 4 and 1 3 */
    assert_int_equal(dealt(5, (struct share){0}, 0, 2, c, &conns), 3);
    is(&c[1], 0, 2, 1);
    assert_int_equal(dealt(5, (struct share){0}, 1, 2, c, &conns), 2);
    is(&c[1], 1, 0, 1);
    /* the second of three agents: slots 1 and 4, one for each thread */
    assert_int_equal(dealt(5, (struct share){1, 3}, 0, 2, c, &conns), 1);
    is(&c[0], 0, 1, 0);
    assert_int_equal(dealt(5, (struct share){1, 3}, 1, 2, c, &conns), 1);
    is(&c[0], 1, 1, 0);
    /* more slots than clients: nothing for the last */
    assert_int_equal(dealt(9, (struct share){8, 9}, 0, 1, c, &conns), 0);
    assert_int_equal(conns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deal_gives_each_client_its_slot),
        cmocka_unit_test(deal_queues_clients_in_fewer_slots),
        cmocka_unit_test(deal_takes_turns_between_threads_and_agents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
