#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/watch/nsfacts.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/tree.h"
#include "tests/unit/watch/records.h"

static struct records *facts(const char *root, const char *iface)
{
    struct netdev link = {0};
    int fds[2];
    uint8_t ring[4096];
    struct emit e;
    (void)snprintf(link.name, sizeof link.name, "%s", iface);
    assert_int_equal(pipe(fds), 0);
    emit_init(&e, "target", fds[1], ring, sizeof ring);
    nsfacts_emit(root, &link, 1, &e);
    struct records *r = records_read(fds[0]);
    emit_fini(&e);
    (void)close(fds[0]);
    (void)close(fds[1]);
    return r;
}

static void nsfacts_tell_settings_with_blanks_for_tabs(void **state)
{
    (void)state;
    char *root = tree_make();
    tree_write(root, "sys/net/ipv4/tcp_rmem", "10240\t10240\t10240\n");
    tree_write(root, "sys/net/ipv4/tcp_congestion_control", "cubic\n");
    struct records *r = facts(root, "lo");
    assert_string_equal(records_fact(r, "tcp_rmem"), "10240 10240 10240");
    assert_string_equal(records_fact(r, "congestion"), "cubic");
    assert_null(records_fact(r, "tcp_wmem")); /* no such file */
    assert_non_null(records_fact(r, "mtu.lo"));
    free(r);
    tree_remove(root);
}

static void nsfacts_leave_out_an_interface_that_is_gone(void **state)
{
    (void)state;
    struct records *r = facts("/proc", "no-such-iface");
    assert_null(records_fact(r, "mtu.no-such-iface"));
    assert_non_null(records_fact(r, "tcp_rmem"));
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nsfacts_tell_settings_with_blanks_for_tabs),
        cmocka_unit_test(nsfacts_leave_out_an_interface_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
