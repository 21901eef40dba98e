#include "controller/factor.h"
#include "controller/param.h"
#include "tests/lib/check.h"

static struct setup setup; /* large: not on a stack */

static void set(const char *name, const char *value)
{
    struct why why = {""};
    memset(&setup, 0, sizeof setup);
    check_ok(factor_set(name, value, &setup, &why), why);
}

static void refused(const char *name, const char *value, enum err code,
                    const char *text)
{
    struct why why = {""};
    memset(&setup, 0, sizeof setup);
    check_err(factor_set(name, value, &setup, &why), code);
    assert_string_equal(why.text, text);
}

static void heap_takes_sizes_from_2m_to_1t(void **state)
{
    (void)state;
    set("heap", "256m");
    assert_int_equal(setup.spec.heap_bytes, 268435456); /* 256 x 2^20 */
    set("heap", "1g");
    assert_int_equal(setup.spec.heap_bytes, 1073741824);
    refused("heap", "1x", ERR_INVALID,
            "heap: \"1x\" is not a size such as 512, 64k, 2g or 1Mi");
    refused("heap", "1m", ERR_RANGE, "heap: \"1m\" is not within 2m and 1t");
    refused("heap", "2t", ERR_RANGE, "heap: \"2t\" is not within 2m and 1t");
}

static void predictor_takes_fixed_and_adaptive_sizes(void **state)
{
    (void)state;
    static const char *const good[] = {"fixed:64k", "adaptive:1k-512k",
                                       "adaptive:1k-2k-512k", "fixed:1",
                                       "adaptive:64k-64k"};
    static const char *const bad[] = {"fixed",
                                      "fixed:",
                                      "fixed:0",
                                      "fixed:1k-2k",
                                      "adaptive:1k",
                                      "adaptive:512k-1k",
                                      "adaptive:1-2-",
                                      "adaptive:2-1-3",
                                      "adaptive:1-3-2",
                                      "adaptive:1-2-3-4",
                                      "fixed:17m",
                                      "other:1k",
                                      ""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        set("predictor", good[i]);
        assert_string_equal(setup.spec.predictor, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(factor_set("predictor", bad[i], &setup, NULL), ERR_INVALID);
    refused("predictor", "adaptive:512k-1k", ERR_INVALID,
            "predictor: \"adaptive:512k-1k\" is not fixed:64k, "
            "adaptive:1k-512k or adaptive:1k-2k-512k (ascending, at most 16m)");
}

static void rmem_takes_three_words_and_three_ascending_numbers(void **state)
{
    (void)state;
    set("rmem", "default");
    assert_int_equal(setup.spec.rmem_max, 0);
    set("rmem", "low");
    assert_int_equal(setup.spec.rmem_min, 10240);
    assert_int_equal(setup.spec.rmem_default, 10240);
    assert_int_equal(setup.spec.rmem_max, 10240);
    set("rmem", "high");
    assert_int_equal(setup.spec.rmem_min, 16777216);
    assert_int_equal(setup.spec.rmem_max, 16777216);
    set("rmem", "10240:87380:16777216");
    assert_int_equal(setup.spec.rmem_min, 10240);
    assert_int_equal(setup.spec.rmem_default, 87380);
    assert_int_equal(setup.spec.rmem_max, 16777216);
}

static void rmem_refuses_all_else(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        enum err code;
    } bad[] = {{"medium", ERR_INVALID},
               {"", ERR_INVALID},
               {"4096", ERR_INVALID},
               {"4096:8192", ERR_INVALID},
               {"4096:8192:16384:1", ERR_INVALID},
               {"4096:8192:", ERR_INVALID},
               {"4096:8192:x", ERR_INVALID},
               {"8192:4096:16384", ERR_RANGE},
               {"4096:16384:8192", ERR_RANGE},
               {"4095:8192:16384", ERR_RANGE},
               {"4096:8192:268435457", ERR_RANGE}}; /* 256m + 1 */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(factor_set("rmem", bad[i].value, &setup, NULL), bad[i].code);
    refused("rmem", "8192:4096:16384", ERR_RANGE,
            "rmem: \"8192:4096:16384\": accepted: default, low, high or "
            "min:default:max in ascending order from 4k to 256m, such as "
            "10240:87380:16777216");
}

static void link_reads_every_part_of_a_veth(void **state)
{
    (void)state;
    set("link", "veth:mtu=1500+rate=200mbit+burst=32kb+latency=20ms+delay=1ms+"
                "offloads=off");
    assert_string_equal(setup.spec.link_kind, "veth");
    assert_int_equal(setup.spec.link_mtu, 1500);
    assert_int_equal(setup.spec.link_rate_bit, 200000000);
    assert_int_equal(setup.spec.link_burst_bytes, 32768); /* 32 x 1024 */
    assert_int_equal(setup.spec.link_latency_ns, 20000000);
    assert_int_equal(setup.spec.link_delay_ns, 1000000);
    assert_string_equal(setup.spec.link_offloads, "off");
    /* What stands for ethernet is what it is. */
    set("link", "veth:mtu=9000+emulates=ethernet");
    assert_string_equal(setup.spec.link_kind, "veth");
    assert_int_equal(setup.spec.link_mtu, 9000);
    refused("link", "veth:emulates=loopback", ERR_INVALID,
            "link: veth: emulates: \"loopback\" is not ethernet");
    set("link", "veth");
    assert_string_equal(setup.spec.link_kind, "veth");
    assert_int_equal(setup.spec.link_mtu, 0);
    set("link", "loopback");
    assert_string_equal(setup.spec.link_kind, "loopback");
}

static void link_names_the_part_that_is_wrong(void **state)
{
    (void)state;
    refused("link", "wifi", ERR_INVALID,
            "link: \"wifi\" is not loopback, ethernet or "
            "veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off");
    refused("link", "vethx", ERR_INVALID,
            "link: \"vethx\" is not loopback, ethernet or "
            "veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off");
    refused("link", "veth:mtu=12", ERR_RANGE,
            "link: veth: mtu: \"12\" is less than 68");
    refused("link", "veth:mtu=70000", ERR_RANGE,
            "link: veth: mtu: \"70000\" is more than 65535");
    refused("link", "veth:rate=fast", ERR_INVALID,
            "link: veth: rate: \"fast\" is not a link rate such as 200mbit or "
            "1gbit");
    refused("link", "veth:rate=0bit", ERR_RANGE,
            "link: veth: rate: \"0bit\" lets nothing through");
    refused("link", "veth:rate=1mbit+burst=0", ERR_RANGE,
            "link: veth: burst: \"0\" is not within 1 and 4g");
    refused("link", "veth:latency=0", ERR_RANGE,
            "link: veth: latency: \"0\" is none: leave it out");
    refused("link", "veth:delay=0", ERR_RANGE,
            "link: veth: delay: \"0\" is none: leave it out");
    refused("link", "veth:mtu=100", ERR_INVALID,
            "link: veth: mtu=100; accepted: 576 to 65535");
    refused("link", "veth:rate=18gbit", ERR_INVALID,
            "link: veth: rate=18000000000bit; accepted: 8kbit to 17gbit in "
            "whole bytes per second");
    refused("link", "veth:offloads=maybe", ERR_INVALID,
            "link: veth: offloads: \"maybe\" is not on or off");
    refused("link", "veth:mtu=1500+mtu=9000", ERR_INVALID,
            "link: veth: mtu stands there twice");
    refused("link", "veth:colour=red", ERR_INVALID,
            "link: veth: \"colour\" is not one of mtu=, rate=, burst=, "
            "latency=, delay=, offloads=");
    refused("link", "veth:", ERR_INVALID,
            "link: veth: \"\" is not one of mtu=, rate=, burst=, latency=, "
            "delay=, offloads=");
    refused("link", "veth:burst=32kb", ERR_INVALID,
            "link: veth: burst and latency belong to a rate; add rate=");
}

static void link_ethernet_is_taken_as_it_is(void **state)
{
    (void)state;
    set("link", "ethernet");
    assert_string_equal(setup.spec.link_kind, "ethernet");
    refused("link", "ethernet:mtu=9000", ERR_INVALID,
            "link: \"ethernet:mtu=9000\" is not loopback, ethernet or "
            "veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off");
}

static void pin_and_congestion_take_words(void **state)
{
    (void)state;
    set("pin", "0-1+3");
    assert_string_equal(setup.spec.pin, "0-1,3");
    set("pin", "auto");
    assert_string_equal(setup.spec.pin, "auto");
    refused("pin", "1-", ERR_INVALID,
            "pin: \"1-\" is not auto, none or CPUs such as 0-1+3");
    set("congestion", "bbr");
    assert_string_equal(setup.spec.congestion, "bbr");
    refused("congestion", "BBR!", ERR_INVALID,
            "congestion: \"BBR!\" is not the name of a congestion control such "
            "as cubic or bbr");
}

static void telemetry_is_a_list_joined_by_plus(void **state)
{
    (void)state;
    set("telemetry", "link+tcp");
    assert_string_equal(setup.spec.telemetry, "link,tcp");
    set("telemetry", "none");
    assert_string_equal(setup.spec.telemetry, "none");
    refused("telemetry", "link+link", ERR_INVALID,
            "telemetry: link stands there twice");
    refused("telemetry", "cpu+perf", ERR_INVALID,
            "telemetry: \"cpu+perf\": perf,reads have trials of their own, by "
            "--telemetry");
}

static void parameters_become_lines_of_the_spec(void **state)
{
    (void)state;
    struct why why = {""};
    memset(&setup, 0, sizeof setup);
    check_ok(factor_set("target.initial_buffer", "4096", &setup, &why), why);
    check_ok(factor_set("target.body_copy", "off", &setup, &why), why);
    assert_string_equal(setup.spec.target_params,
                        "initial_buffer=4096\nbody_copy=off\n");
    check_ok(factor_set("load.clients", "8", &setup, &why), why);
    assert_string_equal(setup.spec.load_params, "clients=8\n");
    check_ok(
        factor_set("sysctl.net.ipv4.tcp_no_metrics_save", "1", &setup, &why),
        why);
    assert_string_equal(setup.spec.sysctls, "net.ipv4.tcp_no_metrics_save=1\n");
    check_ok(factor_set("limit.memory", "1g", &setup, &why), why);
    check_ok(factor_set("limit.cpus", "1.5", &setup, &why), why);
    check_ok(factor_set("limit.pids", "64", &setup, &why), why);
    assert_int_equal(setup.spec.limit_memory_bytes, 1u << 30);
    assert_int_equal(setup.spec.limit_cpus_milli, 1500);
    assert_int_equal(setup.spec.limit_pids, 64);
    check_ok(factor_set("track.bulk_size", "500", &setup, &why), why);
    assert_int_equal(setup.n_params, 1);
    assert_string_equal(setup.params[0].name, "bulk_size");
    assert_string_equal(setup.params[0].value, "500");
}

/* Which settings a target has is known with the target: any is taken, and the
 * builtin one's are checked in a cell. */
static void unfit(const char *name, const char *value, enum err code,
                  const char *text)
{
    struct why why = {""};
    set(name, value);
    check_err(param_check(&setup.spec, &why), code);
    assert_string_equal(why.text, text);
}

static void parameters_that_our_target_has_not_are_refused(void **state)
{
    (void)state;
    unfit("target.colour", "red", ERR_INVALID,
          "target.colour: the target pitwall has no setting \"colour\"; it "
          "has: initial_buffer, young, min_tlab, pretouch, reads_per_wakeup, "
          "max_components, body_copy, threads, bulk_threads, bulk_queue, "
          "parse_work, index, shards, durability, native_limit, netty_rules, "
          "stall, slow");
    unfit("target.body_copy", "yes", ERR_INVALID,
          "target.body_copy: \"yes\" is not on or off");
    unfit("target.slow", "101%", ERR_RANGE,
          "target.slow: \"101%\" is more than 100%");
    unfit("target.threads", "0", ERR_RANGE,
          "target.threads: \"0\" is not within 1 and 64");
    unfit("target.netty_rules", "on", ERR_INVALID,
          "target.netty_rules: \"on\" is not 4.1.7 or 4.1.48");
    unfit("target.reads_per_wakeup", "5", ERR_INVALID,
          "target.reads_per_wakeup: \"5\" is not 1 or 16");
    set("target.body_copy", "on");
    check_ok(param_check(&setup.spec, NULL), (struct why){""});
}

static void parameters_that_nobody_knows_are_refused(void **state)
{
    (void)state;
    refused("load.colour", "red", ERR_INVALID,
            "load.colour: load has no setting \"colour\"; it has: clients, "
            "threads, requests_per_connection, request_timeout, rate, arrival, "
            "engine, provider, memory");
    refused("load.arrival", "never", ERR_INVALID,
            "load.arrival: \"never\" is not fixed or poisson");
    refused("load.rate", "fast", ERR_INVALID,
            "load.rate: \"fast\" is not a rate such as 100/s, 6000/1m or "
            "\"5000 docs/s\"");
    refused("load.clients", "0", ERR_RANGE,
            "load.clients: \"0\" is not within 1 and 10000");
    refused("sysctl.swappiness", "1", ERR_INVALID,
            "sysctl.swappiness: \"swappiness\" is no sysctl's name, such as "
            "net.ipv4.tcp_sack");
    refused("sysctl.net.ipv4.tcp_wmem", "4096:1024:8192", ERR_INVALID,
            "sysctl.net.ipv4.tcp_wmem: \"4096:1024:8192\"; accepted: "
            "min:default:max in ascending order from 4k to 256m");
    refused(
        "sysctl.net.ipv4.tcp_rmem", "1 2 3", ERR_INVALID,
        "sysctl.net.ipv4.tcp_rmem: this is the factor rmem: -m rmem=low,high");
    refused("limit.memory", "4k", ERR_INVALID,
            "limit.memory: \"4k\" is no size from 64k on, such as 512m");
    refused("limit.cpus", "0.001", ERR_INVALID,
            "limit.cpus: \"0.001\" is no number of processors from 0.01 on, "
            "such as 1.5");
    refused("limit.pids", "0", ERR_INVALID,
            "limit.pids: \"0\" is no number of processes and threads from 1");
    refused("limit.disk", "1", ERR_INVALID,
            "limit.disk: there are limit.memory, limit.cpus and limit.pids");
    refused("nic.ring", "256", ERR_INVALID,
            "nic.ring: \"256\" is not on or off");
    refused("nic.coalesce.rx", "256", ERR_INVALID,
            "nic.coalesce.rx: accepted: nic.coalesce.rx-usecs, "
            "rx-frames, tx-usecs, tx-frames, adaptive-rx, adaptive-tx");
    refused("sysctl.net.a", "8\nx=1", ERR_INVALID,
            "sysctl.net.a: the value holds a control character");
    refused("track.", "1", ERR_INVALID,
            "factor \"track.\": the part after the first dot is 1 to 64 of "
            "a-z, 0-9, _, - and .");
    refused("load.a=b", "1", ERR_INVALID,
            "factor \"load.a=b\": the part after the first dot is 1 to 64 of "
            "a-z, 0-9, _, - and .");
}

static void an_unknown_factor_is_told_its_nearest(void **state)
{
    (void)state;
    refused("haep", "1g", ERR_INVALID,
            "unknown factor \"haep\"; near it: heap");
    refused("pred", "x", ERR_INVALID,
            "unknown factor \"pred\"; near it: predictor");
    refused("colour", "red", ERR_INVALID,
            "unknown factor \"colour\"; there are: heap, predictor, rmem, "
            "link, target, track, challenge, telemetry, pin, congestion, "
            "track.X, load.X, target.X, sysctl.X, limit.X, nic.X");
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    factor_defaults(&setup);
    assert_int_equal(setup.spec.heap_bytes, 1073741824);
    assert_string_equal(setup.spec.predictor, "fixed:64k");
    assert_string_equal(setup.spec.link_kind, "loopback");
    assert_string_equal(setup.spec.target, "pitwall");
    assert_int_equal(setup.spec.rmem_max, 0);
    assert_string_equal(setup.spec.pin, "");
}

static void kinds_have_words(void **state)
{
    (void)state;
    const struct factor *factor = NULL;
    const char *param = NULL;
    struct why why = {""};
    check_ok(factor_find("sysctl.net.core.x", &factor, &param, &why), why);
    assert_string_equal(factor_kind_name(factor->kind), "kernel");
    assert_string_equal(param, "net.core.x");
    check_ok(factor_find("link", &factor, &param, &why), why);
    assert_string_equal(factor_kind_name(factor->kind), "link");
    assert_string_equal(param, "");
}

static void help_has_a_line_per_factor_that_works(void **state)
{
    (void)state;
    char text[2048];
    size_t lines = 0;
    (void)factor_help(text, sizeof text);
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 16);
    assert_non_null(strstr(text, "  heap        256m,2g\n"));
    assert_non_null(strstr(text, "  load.X      load.clients=1,2,4,8\n"));
}

static void a_list_that_is_full_is_refused_whole(void **state)
{
    (void)state;
    struct why why = {""};
    char list[16] = "";
    check_ok(setup_line(list, sizeof list, "a", "1", &why), why);
    check_err(setup_line(list, sizeof list, "abcdef", "123456", &why),
              ERR_RANGE);
    assert_string_equal(list, "a=1\n");
    assert_string_equal(why.text, "all such settings together are longer than "
                                  "15 characters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_takes_sizes_from_2m_to_1t),
        cmocka_unit_test(predictor_takes_fixed_and_adaptive_sizes),
        cmocka_unit_test(rmem_takes_three_words_and_three_ascending_numbers),
        cmocka_unit_test(rmem_refuses_all_else),
        cmocka_unit_test(link_reads_every_part_of_a_veth),
        cmocka_unit_test(link_names_the_part_that_is_wrong),
        cmocka_unit_test(link_ethernet_is_taken_as_it_is),
        cmocka_unit_test(pin_and_congestion_take_words),
        cmocka_unit_test(telemetry_is_a_list_joined_by_plus),
        cmocka_unit_test(parameters_become_lines_of_the_spec),
        cmocka_unit_test(parameters_that_our_target_has_not_are_refused),
        cmocka_unit_test(parameters_that_nobody_knows_are_refused),
        cmocka_unit_test(an_unknown_factor_is_told_its_nearest),
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(kinds_have_words),
        cmocka_unit_test(help_has_a_line_per_factor_that_works),
        cmocka_unit_test(a_list_that_is_full_is_refused_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
