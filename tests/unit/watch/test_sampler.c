#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/watch/sampler.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/tree.h"
#include "tests/unit/watch/pair.h"
#include "tests/unit/watch/records.h"

#define NETDEV_HEAD "Inter-| Receive | Transmit\n face |bytes ...\n"

struct world {
    char *root;
    int fds[2];
    uint8_t ring[65536];
    struct emit emit;
    struct sampler *sampler;
};

/* The kernel's files at moment k: every counter is 10 more each moment. */
static void write_files(struct world *w, unsigned k)
{
    unsigned n = 100 + 10 * k;
    tree_write(w->root, "net/dev",
               NETDEV_HEAD "    lo: %u %u 1 2 0 0 0 0 %u %u 3 4 0 0 0 0\n"
                           "  idle: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
               n * 1000, n, n * 2000, n);
    tree_write(w->root, "net/snmp",
               "Tcp: InSegs OutSegs RetransSegs\nTcp: %u %u %u\n", n, 2 * n,
               3 * n);
    tree_write(w->root, "net/netstat",
               "TcpExt: PruneCalled TCPTimeouts ListenDrops TCPRcvCollapsed "
               "TCPToZeroWindowAdv\n"
               "TcpExt: %u %u %u %u %u\n",
               n, 2 * n, 3 * n, 4 * n, 5 * n);
    tree_write(w->root, "stat", "cpu  %u %u %u %u %u %u %u %u 0 0\n", n, n, n,
               n, 2 * n, n, n, n);
    tree_write(w->root, "diskstats", "8 0 sda 1 0 %u 0 1 0 %u 0 0 %u 0\n", n,
               2 * n, n);
    tree_write(w->root, "pressure/cpu",
               "some avg10=0 avg60=0 avg300=0 total=%u\n", n);
    tree_write(w->root, "pressure/io",
               "some avg10=0 avg60=0 avg300=0 total=%u\n"
               "full avg10=0 avg60=0 avg300=0 total=%u\n",
               2 * n, 3 * n);
    tree_write(w->root, "12/stat",
               "12 (pitwall-target) S 1 1 0 0 -1 0 0 0 0 0 %u %u 0 0 20 0 3 0 "
               "9 0 100 0\n",
               n, n);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->root = tree_make();
    assert_int_equal(pipe(w->fds), 0);
    emit_init(&w->emit, "target", w->fds[1], w->ring, sizeof w->ring);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    sampler_close(w->sampler);
    emit_fini(&w->emit);
    (void)close(w->fds[0]);
    (void)close(w->fds[1]);
    tree_remove(w->root);
    free(w);
    return 0;
}

static void open_sampler(struct world *w, unsigned devices, uint16_t port,
                         bool load_side)
{
    const struct sampler_args args = {.devices = devices,
                                      .load_side = load_side,
                                      .port = port,
                                      .proc_dir = w->root};
    struct why why = {0};
    check_ok(sampler_open(&w->sampler, &args, &why), why);
}

static void check_link(const struct record_sample_link *r)
{
    assert_string_equal(r->iface, "lo");
    assert_string_equal(r->side, "target");
    assert_int_equal(r->second, -1);
    assert_int_equal(r->rx_bytes, 10000);
    assert_int_equal(r->rx_packets, 10);
    assert_int_equal(r->tx_bytes, 20000);
    assert_int_equal(
        r->rx_errors + r->rx_dropped + r->tx_errors + r->tx_dropped, 0);
}

static void check_tcp(const struct record_sample_tcp *r)
{
    assert_int_equal(r->segs_in, 10);
    assert_int_equal(r->segs_out, 20);
    assert_int_equal(r->segs_retrans, 30);
    assert_int_equal(r->rcvq_pruned, 10);
    assert_int_equal(r->timeouts, 20);
    assert_int_equal(r->listen_drops, 30);
    assert_int_equal(r->rcvq_collapsed, 40);
    assert_int_equal(r->zero_windows, 50);
    assert_int_equal(r->sockets, 0);
}

static void check_cpu(const struct record_sample_cpu *r)
{
    uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    assert_int_equal(r->user_ns, 20 * tick_ns); /* user and nice */
    assert_int_equal(r->system_ns, 10 * tick_ns);
    assert_int_equal(r->idle_ns, 10 * tick_ns);
    assert_int_equal(r->iowait_ns, 20 * tick_ns);
    assert_int_equal(r->steal_ns, 10 * tick_ns);
}

static void check_disk(const struct record_sample_disk *r)
{
    assert_string_equal(r->device, "sda");
    assert_int_equal(r->read_bytes, 5120); /* 10 sectors */
    assert_int_equal(r->write_bytes, 10240);
    assert_int_equal(r->busy_ns, 10000000); /* 10 ms */
}

static void check_pressure(const struct record_sample_pressure *r)
{
    assert_int_equal(r->cpu_some_ns, 10000); /* 10 us */
    assert_int_equal(r->io_some_ns, 20000);
    assert_int_equal(r->io_full_ns, 30000);
    assert_int_equal(r->memory_some_ns, 0); /* not told */
}

static void sampler_take_gives_a_record_of_each_device(void **state)
{
    struct world *w = *state;
    write_files(w, 0);
    open_sampler(w, DEVICE_ALL, 1, false);
    sampler_prime(w->sampler, 0);
    write_files(w, 1);
    sampler_take(w->sampler, -1, 0, &w->emit);
    struct records *r = records_read(w->fds[0]);
    assert_int_equal(r->n, 6);
    check_pressure(
        &records_at(r, RECORD_IS_sample_pressure, 0)->as.sample_pressure);
    check_tcp(&records_at(r, RECORD_IS_sample_tcp, 0)->as.sample_tcp);
    check_link(&records_at(r, RECORD_IS_sample_link, 0)->as.sample_link);
    check_cpu(&records_at(r, RECORD_IS_sample_cpu, 0)->as.sample_cpu);
    check_disk(&records_at(r, RECORD_IS_sample_disk, 0)->as.sample_disk);
    assert_string_equal(
        records_at(r, RECORD_IS_sample_proc, 0)->as.sample_proc.name, "target");
    free(r);
}

static void sampler_take_leaves_out_a_disk_that_rested(void **state)
{
    struct world *w = *state;
    write_files(w, 0);
    open_sampler(w, DEVICE_ALL, 1, false);
    sampler_prime(w->sampler, 0);
    sampler_take(w->sampler, 0, 0, &w->emit);
    struct records *r = records_read(w->fds[0]);
    assert_int_equal(records_count(r, RECORD_IS_sample_disk), 0);
    assert_int_equal(records_count(r, RECORD_IS_sample_cpu), 1);
    free(r);
}

static void sampler_take_gives_only_what_was_asked_for(void **state)
{
    struct world *w = *state;
    write_files(w, 0);
    open_sampler(w, DEVICE_CPU | DEVICE_LINK, 1, false);
    sampler_prime(w->sampler, 0);
    sampler_take(w->sampler, 0, 0, &w->emit);
    struct records *r = records_read(w->fds[0]);
    assert_int_equal(r->n, 2);
    assert_int_equal(records_count(r, RECORD_IS_sample_cpu), 1);
    assert_int_equal(records_count(r, RECORD_IS_sample_link), 1);
    free(r);
}

static void sampler_take_looks_at_sockets_only_when_nobody_did(void **state)
{
    struct world *w = *state;
    struct pair p = pair_open(30000, 0);
    write_files(w, 0);
    open_sampler(w, DEVICE_TCP, p.port, false);
    sampler_prime(w->sampler, 0);
    sampler_look(w->sampler, 0);
    pair_close(&p); /* as a load does at the window's end */
    sampler_take(w->sampler, 0, 0, &w->emit);
    sampler_take(w->sampler, 1, 0, &w->emit);
    struct records *r = records_read(w->fds[0]);
    const struct record *in = records_at(r, RECORD_IS_sample_tcp, 0);
    const struct record *after = records_at(r, RECORD_IS_sample_tcp, 1);
    assert_int_equal(in->as.sample_tcp.sockets, 1);
    assert_int_equal(in->as.sample_tcp.rcvbuf_max, 60000);
    assert_int_equal(after->as.sample_tcp.sockets, 0);
    free(r);
}

static struct record_sample_tcp look_at(struct world *w, uint16_t port,
                                        bool load_side)
{
    open_sampler(w, DEVICE_TCP, port, load_side);
    sampler_prime(w->sampler, 0);
    sampler_look(w->sampler, 0);
    sampler_take(w->sampler, 0, 0, &w->emit);
    struct records *r = records_read(w->fds[0]);
    struct record_sample_tcp tcp =
        records_at(r, RECORD_IS_sample_tcp, 0)->as.sample_tcp;
    free(r);
    return tcp;
}

static void sampler_sees_the_accepted_sockets_of_the_target(void **state)
{
    struct world *w = *state;
    struct pair p = pair_open(30000, 0);
    write_files(w, 0);
    struct record_sample_tcp tcp = look_at(w, p.port, false);
    assert_int_equal(tcp.sockets, 1);
    assert_int_equal(tcp.rcvbuf_min, 60000); /* doubled by the kernel */
    assert_int_equal(tcp.rcvbuf_max, 60000);
    pair_close(&p);
}

static void sampler_sees_the_loads_own_end_on_its_side(void **state)
{
    struct world *w = *state;
    struct pair p = pair_open(30000, 0);
    write_files(w, 0);
    struct record_sample_tcp tcp = look_at(w, p.port, true);
    assert_int_equal(tcp.sockets, 1);
    assert_true(tcp.rcvbuf_max != 60000); /* not the accepted one */
    assert_true(tcp.rcvbuf_max > 0);
    pair_close(&p);
}

/* The kernel's counters of connections, which the files' writer leaves out. */
static void write_opens(struct world *w, unsigned opens)
{
    tree_write(w->root, "net/snmp",
               "Tcp: ActiveOpens PassiveOpens EstabResets CurrEstab\n"
               "Tcp: %u %u 0 %u\n",
               opens, opens, 2 * opens);
}

static struct record_sample_tcp next_look(struct world *w, int64_t second)
{
    sampler_look(w->sampler, 0);
    sampler_take(w->sampler, second, 0, &w->emit);
    struct records *r = records_read(w->fds[0]);
    struct record_sample_tcp tcp =
        records_at(r, RECORD_IS_sample_tcp, 0)->as.sample_tcp;
    free(r);
    return tcp;
}

static void sampler_looks_for_new_sockets_only_when_some_came(void **state)
{
    struct world *w = *state;
    struct pair first = pair_open(30000, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(first.port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    write_files(w, 0);
    write_opens(w, 1);
    open_sampler(w, DEVICE_TCP, first.port, false);
    sampler_prime(w->sampler, 0);
    assert_int_equal(next_look(w, 0).sockets, 1);
    int second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(second, (void *)&to, sizeof to), 0);
    assert_int_equal(next_look(w, 1).sockets, 1); /* nothing told of it */
    write_opens(w, 2);
    assert_int_equal(next_look(w, 2).sockets, 2);
    /* One that went is noticed by itself. */
    (void)close(second);
    assert_int_equal(next_look(w, 3).sockets, 1);
    pair_close(&first);
    assert_int_equal(next_look(w, 4).sockets, 0);
    sampler_facts(w->sampler, &w->emit);
    struct records *r = records_read(w->fds[0]);
    assert_string_equal(records_fact(r, "watch.looks"), "6");
    /* The first, the new one, and when each went. */
    assert_string_equal(records_fact(r, "watch.walks"), "4");
    free(r);
}

static void sampler_tells_what_it_could_not_read(void **state)
{
    struct world *w = *state;
    tree_write(w->root, "stat", "nonsense\n");
    open_sampler(w, DEVICE_ALL, 1, false);
    sampler_prime(w->sampler, 0);
    sampler_take(w->sampler, 0, 0, &w->emit);
    sampler_facts(w->sampler, &w->emit);
    struct records *r = records_read(w->fds[0]);
    assert_int_equal(records_count(r, RECORD_IS_sample_cpu), 0);
    assert_string_equal(records_fact(r, "watch.unread.dev"),
                        "No such file or directory");
    assert_null(records_fact(r, "watch.unread.stat"));
    assert_string_equal(records_fact(r, "watch.looks"), "2");
    free(r);
}

static void sampler_ifaces_are_those_that_carried_something(void **state)
{
    struct world *w = *state;
    struct netdev links[4];
    write_files(w, 0);
    open_sampler(w, DEVICE_ALL, 1, false);
    assert_int_equal(sampler_ifaces(w->sampler, links, 4), 1);
    assert_string_equal(links[0].name, "lo");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(sampler_take_gives_a_record_of_each_device),
        CASE(sampler_take_leaves_out_a_disk_that_rested),
        CASE(sampler_take_gives_only_what_was_asked_for),
        CASE(sampler_take_looks_at_sockets_only_when_nobody_did),
        CASE(sampler_sees_the_accepted_sockets_of_the_target),
        CASE(sampler_sees_the_loads_own_end_on_its_side),
        CASE(sampler_looks_for_new_sockets_only_when_some_came),
        CASE(sampler_tells_what_it_could_not_read),
        CASE(sampler_ifaces_are_those_that_carried_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
