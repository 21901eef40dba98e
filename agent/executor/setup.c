#include "agent/executor/setup.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/place.h"
#include "common/units.h"

#define RMEM "net.ipv4.tcp_rmem"

static enum err lacking(const struct facts *facts, const char *what,
                        struct why *why)
{
    char missing[400];
    facts_missing(facts, missing, sizeof missing);
    return err_set(why, ERR_UNSUPPORTED, "%s: %s", what, missing);
}

/* One that runs already is reached as it is: nothing is started, nothing set.
 */
static enum err make_unmanaged(struct setup *out, struct why *why)
{
    const struct trial_spec *s = &out->spec;
    const char *what = out->link.kind != LINK_LOOPBACK ? "link"
                       : s->rmem_max                   ? "rmem"
                       : s->sysctls[0]                 ? "sysctl"
                       : s->target_params[0]           ? "target.X"
                                                       : NULL;
    if (what)
        return err_set(why, ERR_UNSUPPORTED,
                       "target %s runs by itself (\"managed\": false): %s "
                       "cannot be set",
                       out->target->name, what);
    const char *host = out->target->urls[0] + strlen("http://");
    const char *colon = strrchr(host, ':');
    (void)snprintf(out->address, sizeof out->address, "%.*s",
                   (int)(colon - host), host);
    out->port = (unsigned)strtoul(colon + 1, NULL, 10);
    out->parts &= ~PART_BIT(PART_TARGET);
    out->host_net = true;
    return ERR_OK;
}

#define TARGET_PARTS (PART_BIT(PART_TARGET) | PART_BIT(PART_WATCH_TARGET))
#define LOAD_PARTS   (PART_BIT(PART_LOAD) | PART_BIT(PART_WATCH_LOAD))

static enum err make_parts(struct setup *out, const struct config *config,
                           struct why *why)
{
    static const struct {
        const char *role;
        unsigned parts;
    } roles[] = {{"both", TARGET_PARTS | LOAD_PARTS},
                 {"target", TARGET_PARTS},
                 {"load", LOAD_PARTS}};
    const char *role = out->spec.role;
    bool ethernet = out->link.kind == LINK_ETHERNET;
    out->parts = 0;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (!strcmp(roles[i].role, role))
            out->parts = roles[i].parts;
    if (!out->parts)
        return err_set(why, ERR_INVALID,
                       "role \"%.7s\"; accepted: both, target, load", role);
    if (config->roles[0] && strcmp(config->roles, "both") != 0 &&
        strcmp(config->roles, role) != 0)
        return err_set(why, ERR_UNSUPPORTED, "role %s: this agent's role is %s",
                       role, config->roles);
    if (!ethernet && strcmp(role, "both") != 0)
        return err_set(why, ERR_UNSUPPORTED,
                       "role %s alone belongs to link ethernet, which needs a "
                       "second machine; links loopback and veth take both",
                       role);
    if (ethernet && !strcmp(role, "both"))
        return err_set(why, ERR_UNSUPPORTED,
                       "link ethernet needs a second machine; on one machine "
                       "use veth:mtu=1500+rate=1gbit+burst=32kb+offloads=off");
    return ERR_OK;
}

/* "http://A.B.C.D:PORT", as the target's agent tells it. */
static enum err read_url(struct setup *out, struct why *why)
{
    static const char scheme[] = "http://";
    const char *url = out->spec.target_url;
    const char *host = url + sizeof scheme - 1;
    bool good = !strncmp(url, scheme, sizeof scheme - 1);
    size_t len = good ? strcspn(host, ":") : 0;
    uint64_t port = 0;
    struct in_addr in;
    if (good && host[len] == ':' && len < sizeof out->address) {
        memcpy(out->address, host, len);
        out->address[len] = '\0';
        good = inet_pton(AF_INET, out->address, &in) == 1 &&
               !units_u64(host + len + 1, 65535, &port, NULL) && port;
    } else {
        good = false;
    }
    if (!good)
        return err_set(why, ERR_INVALID,
                       "target_url \"%.60s\"; accepted: http://A.B.C.D:PORT",
                       url);
    out->port = (unsigned)port;
    (void)snprintf(out->link.peer, sizeof out->link.peer, "%.23s",
                   out->address);
    return ERR_OK;
}

/* The ends of ethernet: here the target's own interface, there its address. */
static enum err make_ethernet(struct setup *out, const struct facts *facts,
                              struct why *why)
{
    if (!(out->parts & PART_BIT(PART_TARGET)))
        return read_url(out, why);
    if (!facts->nic.dev[0])
        return err_set(why, ERR_UNSUPPORTED, "link ethernet: %s",
                       facts->nic_missing);
    out->link.own = facts->nic;
    (void)snprintf(out->address, sizeof out->address, "%s", facts->nic.address);
    return ERR_OK;
}

static enum err make_link(struct setup *out, const struct facts *facts,
                          struct why *why)
{
    bool veth = out->link.kind == LINK_VETH;
    if (out->link.kind == LINK_ETHERNET)
        return make_ethernet(out, facts, why);
    if (veth && !facts->veth)
        return lacking(facts, "link veth", why);
    if (out->link.rate_bit && !facts->tbf)
        return lacking(facts, "link rate", why);
    if (out->link.delay_ns && !facts->netem)
        return lacking(facts, "link delay", why);
    if (facts->mode == FACTS_PLAIN &&
        (out->link.mtu || out->link.offloads != LINK_OFFLOADS_AS_IS))
        return lacking(facts, "link mtu and offloads", why);
    (void)snprintf(out->address, sizeof out->address, "%s",
                   veth ? "10.77.0.1" : "127.0.0.1");
    return ERR_OK;
}

static struct setup_sysctl *next_sysctl(struct setup *out, const char *name)
{
    struct setup_sysctl *s = &out->sysctls[out->n_sysctls++];
    *s = (struct setup_sysctl){.wanted = false};
    (void)snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

/* On ethernet there is no network namespace of the trial's own: what is set is
 * the machine's, which takes root. */
static enum err on_machine(const char *what, const struct facts *facts,
                           struct why *why)
{
    if (facts->mode == FACTS_NETNS)
        return ERR_OK;
    return err_set(why, ERR_UNSUPPORTED,
                   "%s with link ethernet is a setting of the whole machine: "
                   "run pitwall-agent as root",
                   what);
}

static enum err make_rmem(struct setup *out, const struct facts *facts,
                          struct why *why)
{
    const struct trial_spec *spec = &out->spec;
    struct setup_sysctl *s = next_sysctl(out, RMEM);
    s->wanted = (spec->rmem_min || spec->rmem_default || spec->rmem_max) &&
                (out->parts & PART_BIT(PART_TARGET));
    s->host = out->link.kind == LINK_ETHERNET;
    if (!s->wanted)
        return ERR_OK;
    enum err e = s->host ? on_machine("rmem", facts, why) : ERR_OK;
    if (!e && facts->mode == FACTS_PLAIN)
        e = lacking(facts, "rmem", why);
    return e ? e
             : sysctl_rmem(spec->rmem_min, spec->rmem_default, spec->rmem_max,
                           s->value, why);
}

/* The default pattern, tcp_*, has these two with it: all sockets of the machine
 * together share them. */
static bool shared_by_all(const char *name)
{
    return !strcmp(name, "net.ipv4.tcp_mem") ||
           !strcmp(name, "net.ipv4.tcp_max_orphans");
}

static enum err allowed(const char *name, const struct config *config,
                        struct why *why)
{
    if (!strcmp(name, RMEM))
        return err_set(why, ERR_INVALID, "%s is the factor rmem", name);
    if (!config_allows_sysctl(config, name) ||
        (!config->sysctls_given && shared_by_all(name)))
        return err_set(why, ERR_PERMISSION,
                       "%s: not among the sysctls that this agent's "
                       "configuration allows",
                       name);
    return ERR_OK;
}

static enum err one_sysctl(struct setup *out, const char *line, size_t len,
                           const struct config *config, struct why *why)
{
    const char *equals = memchr(line, '=', len);
    size_t name_len = equals ? (size_t)(equals - line) : 0;
    size_t value_len = equals ? len - name_len - 1 : 0;
    char name[sizeof out->sysctls[0].name];
    if (name_len == 0 || name_len >= sizeof name || value_len == 0 ||
        value_len >= SYSCTL_VALUE_MAX)
        return err_set(why, ERR_INVALID, "\"%.*s\"; accepted: name=value",
                       len < 80 ? (int)len : 80, line);
    if (out->n_sysctls > SETUP_SYSCTLS_MAX)
        return err_set(why, ERR_RANGE, "more than %u settings",
                       SETUP_SYSCTLS_MAX);
    memcpy(name, line, name_len);
    name[name_len] = '\0';
    enum err e = allowed(name, config, why);
    if (e)
        return e;
    struct setup_sysctl *s = next_sysctl(out, name);
    s->wanted = true;
    s->host = out->link.kind == LINK_ETHERNET;
    memcpy(s->value, equals + 1, value_len);
    s->value[value_len] = '\0';
    return sysctl_check(name, s->value, why);
}

static enum err make_sysctls(struct setup *out, const struct facts *facts,
                             const struct config *config, struct why *why)
{
    const char *lines = out->spec.sysctls;
    enum err refused = ERR_OK;
    if (!(out->parts & PART_BIT(PART_TARGET)))
        return ERR_OK;
    if (lines[0] && out->link.kind == LINK_ETHERNET)
        refused = on_machine("sysctl", facts, why);
    else if (lines[0] && facts->mode == FACTS_PLAIN)
        refused = lacking(facts, "sysctl", why);
    if (refused)
        return refused;
    while (*lines) {
        size_t len = strcspn(lines, "\n");
        enum err e = len ? one_sysctl(out, lines, len, config, why) : ERR_OK;
        if (e)
            return err_wrap(why, e, "sysctl");
        lines += len + (lines[len] == '\n');
    }
    return ERR_OK;
}

/* "rx-gro=off" to the knob "feature.rx-gro". */
static enum err one_nic(struct setup *out, const char *line, size_t len,
                        struct why *why)
{
    const char *equals = memchr(line, '=', len);
    size_t name = equals ? (size_t)(equals - line) : 0;
    size_t value = equals ? len - name - 1 : 0;
    if (name == 0 || name > 40 || value == 0 || value >= CHANGE_VALUE_MAX)
        return err_set(why, ERR_INVALID, "\"%.*s\"; accepted: name=value",
                       len < 80 ? (int)len : 80, line);
    if (out->n_nics == SETUP_NICS_MAX)
        return err_set(why, ERR_RANGE, "more than %u settings", SETUP_NICS_MAX);
    struct setup_nic *n = &out->nics[out->n_nics++];
    (void)snprintf(n->value, sizeof n->value, "%.*s", (int)value, equals + 1);
    (void)snprintf(n->knob, sizeof n->knob, "%.*s", (int)name, line);
    bool plain = !strcmp(n->knob, "mtu") || !strcmp(n->knob, "offloads") ||
                 !strncmp(n->knob, "coalesce.", 9);
    if (!plain)
        (void)snprintf(n->knob, sizeof n->knob, "feature.%.*s", (int)name,
                       line);
    if (!strcmp(n->knob, "offloads") && strcmp(n->value, "on") != 0 &&
        strcmp(n->value, "off") != 0)
        return err_set(why, ERR_INVALID, "offloads=%.40s; accepted: on, off",
                       n->value);
    return ERR_OK;
}

static enum err make_nics(struct setup *out, const struct facts *facts,
                          const struct config *config, struct why *why)
{
    const char *lines = out->spec.nic;
    if (!lines[0])
        return ERR_OK;
    if (out->link.kind != LINK_ETHERNET)
        return err_set(why, ERR_UNSUPPORTED,
                       "nic is of link ethernet; a veth takes mtu= and "
                       "offloads= in its level");
    enum err e = on_machine("nic", facts, why);
    if (!e && !config->interface[0])
        e = err_set(why, ERR_PERMISSION,
                    "nic: trials may set only an interface that the agent's "
                    "configuration names as its \"interface\"");
    (void)snprintf(out->interface, sizeof out->interface, "%s",
                   config->interface);
    while (!e && *lines) {
        size_t len = strcspn(lines, "\n");
        e = len ? one_nic(out, lines, len, why) : ERR_OK;
        lines += len + (lines[len] == '\n');
    }
    return e ? err_wrap(why, e, "nic") : ERR_OK;
}

/* A limit that is configured or asked for and cannot be put in force refuses
 * the attempt; that of processes, where nothing is said, need not be there. */
static enum err make_limits(struct setup *out, const struct facts *facts,
                            const struct config *config, struct why *why)
{
    const struct limits wish = {.memory_bytes = out->spec.limit_memory_bytes,
                                .cpus_milli = out->spec.limit_cpus_milli,
                                .pids = out->spec.limit_pids};
    struct limits *t = &out->target_limits, *l = &out->load_limits;
    bool target = out->parts & PART_BIT(PART_TARGET);
    bool load = out->parts & PART_BIT(PART_LOAD);
    *t = target ? config->target_limits : (struct limits){0};
    *l = load ? config->load_limits : (struct limits){0};
    enum err e = target ? limit_wish(t, &wish, why) : ERR_OK;
    bool any = t->memory_bytes || t->cpus_milli || t->pids || l->memory_bytes ||
               l->cpus_milli || l->pids;
    if (!e && any && !facts->limits)
        e = err_set(why, ERR_UNSUPPORTED, "limits: %s", facts->groups_missing);
    if (facts->limits) {
        t->pids = t->pids ? t->pids : LIMIT_PIDS;
        l->pids = l->pids ? l->pids : LIMIT_PIDS;
    }
    return e;
}

/* The file of the target's program; false: none is started, or it is not
 * found, which is said when it is to be started. */
static bool program_file(const struct setup *out, char *path, size_t size)
{
    const char *program = out->target->program;
    if (!(out->parts & PART_BIT(PART_TARGET)))
        return false;
    if (program[0] != '/')
        return !place_program(program, path, size, NULL);
    (void)snprintf(path, size, "%s", program);
    return true;
}

static enum err make_one(struct setup *out, enum part part,
                         const struct command_ground *ground, struct why *why)
{
    const struct target_ground of_target = setup_ground(out);
    const struct target_def *def = out->target;
    struct command *c = &out->commands[part];
    if (part == PART_TARGET && out->silent)
        return target_make(c, &out->env, def, &out->spec, &of_target, why);
    enum err e = command_make(c, part, &out->spec, ground, why);
    if (!e && part == PART_TARGET && def->doc)
        e = target_extend(c, &out->env, def, &out->spec, &of_target, why);
    return e;
}

static enum err make_commands(struct setup *out, struct why *why)
{
    char program[PATH_MAX];
    const struct command_ground ground = {
        .address = out->address,
        .port = out->port,
        .plain = out->mode == FACTS_PLAIN,
        .target = out->target,
        .program = program_file(out, program, sizeof program) ? program : NULL};
    enum err e = ERR_OK;
    command_begin(&out->env);
    for (unsigned p = 0; !e && p < PARTS; p++)
        if (out->parts & PART_BIT(p))
            e = make_one(out, (enum part)p, &ground, why);
    return e;
}

struct target_ground setup_ground(const struct setup *setup)
{
    return (struct target_ground){.address = setup->address,
                                  .data = setup->work,
                                  .port = setup->port,
                                  .cpus = setup->cpus};
}

static enum err make_target(struct setup *out, const struct config *config,
                            struct why *why)
{
    enum err e =
        target_find(&config->targets, out->spec.target, &out->target, why);
    if (e)
        return e;
    out->silent = !out->target->contract;
    out->host_net = false;
    if (out->target->ready_ns)
        out->spec.ready_ns = out->target->ready_ns;
    return ERR_OK;
}

enum err setup_make(struct setup *out, const struct trial_spec *spec,
                    const struct facts *facts, const struct config *config,
                    const struct setup_place *place, struct why *why)
{
    out->spec = *spec;
    out->mode = facts->mode;
    out->config = config;
    out->n_sysctls = out->n_nics = 0;
    out->interface[0] = '\0';
    out->port = place->port;
    (void)snprintf(out->work, sizeof out->work, "%s", place->work);
    enum err e = link_plan_make(&out->link, &out->spec, why);
    if (!e)
        e = make_parts(out, config, why);
    if (!e)
        e = make_target(out, config, why);
    if (!e)
        e = make_link(out, facts, why);
    if (!e && out->target->unmanaged)
        e = make_unmanaged(out, why);
    if (!e)
        e = make_rmem(out, facts, why);
    if (!e)
        e = make_sysctls(out, facts, config, why);
    if (!e)
        e = make_nics(out, facts, config, why);
    if (!e)
        e = pin_make(&out->pin, spec->pin, &facts->cpus, why);
    out->cpus =
        (unsigned)CPU_COUNT(out->pin.pinned ? &out->pin.target : &facts->cpus);
    if (!e)
        e = make_limits(out, facts, config, why);
    if (!e)
        e = make_commands(out, why);
    if (!e && (spec->ready_ns == 0 || spec->drain_ns == 0))
        e = err_set(why, ERR_INVALID, "ready_ns and drain_ns must be above 0");
    return e;
}
