#include "agent/executor/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/effective.h"
#include "agent/executor/gc_log.h"
#include "agent/executor/last_word.h"
#include "agent/executor/line.h"
#include "agent/executor/machine.h"
#include "agent/executor/machine_facts.h"
#include "agent/executor/nic_facts.h"
#include "agent/executor/orphan.h"
#include "agent/executor/recording.h"
#include "agent/executor/settings.h"
#include "agent/executor/tcp_metrics.h"
#include "common/log.h"

#define EFFECTIVE_MAX 65536u
#define CLOSING_MAX   16384u
/* What a dead child can have left in a pipe, and as much again. */
#define REST_MAX (2u * CHILD_DATA_PIPE_BYTES)

enum slot { SLOT_CONTROL, SLOT_DATA, SLOT_ERR, SLOT_EXIT, SLOTS };

static bool on_target_side(enum part part)
{
    return part == PART_TARGET || part == PART_WATCH_TARGET;
}

static enum spool_stream data_stream(enum part part)
{
    static const enum spool_stream of[PARTS] = {
        [PART_TARGET] = SPOOL_TARGET_FINAL,
        [PART_WATCH_TARGET] = SPOOL_WATCH_TARGET,
        [PART_LOAD] = SPOOL_LOAD,
        [PART_WATCH_LOAD] = SPOOL_WATCH_LOAD,
    };
    return of[part];
}

void stage_init(struct stage *s)
{
    memset(s, 0, sizeof *s);
    s->dir = s->plan = -1;
    s->target = s->load = CAGE_NONE;
    for (unsigned p = 0; p < PARTS; p++)
        s->process[p] = PROCESS_NONE;
    spool_file_init(&s->spool, -1);
}

enum err stage_open(struct stage *s, const struct setup *setup,
                    const struct home *home, const char *name, int plan,
                    struct why *why)
{
    int spool = -1;
    stage_init(s);
    s->setup = setup;
    s->plan = plan;
    (void)snprintf(s->cache, sizeof s->cache, "%s", home->cache_path);
    enum err e = attempt_dir_create(home->attempts, name, &s->dir, &spool, why);
    spool_file_init(&s->spool, spool);
    if (e && plan >= 0) {
        (void)close(plan);
        s->plan = -1;
    }
    return e;
}

/* Build ------------------------------------------------------------------ */

/* What earlier trials have taught the kernel's TCP is forgotten, over ethernet:
 * on the load's side of the way to the target, on the target's of all that was
 * with the address that it listens on. Whether that worked is a fact; a trial
 * can do without. */
static void forget_metrics(const struct stage *s, struct notes *notes)
{
    const struct setup *setup = s->setup;
    bool target = setup->parts & PART_BIT(PART_TARGET);
    const char *own = target ? s->link.target.address : s->link.load.address;
    unsigned n = 0;
    struct why why = {""};
    if (setup->mode != FACTS_PLAIN && setup->link.kind != LINK_ETHERNET) {
        notes_add(notes, "tcp_metrics", "none: the trial's network is its own");
        return;
    }
    enum err e =
        tcp_metrics_forget(own, target ? "" : setup->link.peer, &n, &why);
    if (e)
        notes_add(notes, "tcp_metrics", "kept: %s%s", why.text,
                  e == ERR_PERMISSION ? "; run pitwall-agent as root" : "");
    else
        notes_add(notes, "tcp_metrics", "forgot %u from %s%s%s", n, own,
                  target ? "" : " to ", target ? "" : setup->link.peer);
}

/* Of each end that is here its interface (loopback has one for both), of this
 * machine what shapes a
 * measurement. */
static void gather_facts(const struct stage *s, struct effective_facts *f)
{
    const struct cage *target = s->target.init ? &s->target : &s->load;
    const struct cage *load = s->load.init ? &s->load : &s->target;
    bool has_target = s->setup->parts & PART_BIT(PART_TARGET);
    struct why why = {""};
    /* What cannot be read spoils no trial. */
    if (s->link.target.dev[0] &&
        nic_facts_of(target, s->link.target.dev, &f->sides[0], &why))
        notes_add(&f->sides[0], "interface.dev", "%s", why.text);
    if (s->link.load.dev[0] && s->setup->link.kind != LINK_LOOPBACK &&
        nic_facts_of(load, s->link.load.dev, &f->sides[1], &why))
        notes_add(&f->sides[1], "interface.dev", "%s", why.text);
    machine_facts_add(&f->sides[has_target ? 0 : 1], "");
    forget_metrics(s, &f->sides[has_target ? 0 : 1]);
}

static enum err note_effective(struct stage *s, struct why *why)
{
    char *text = malloc(EFFECTIVE_MAX);
    struct effective_facts *facts = calloc(1, sizeof *facts);
    enum err e = text && facts ? ERR_OK
                               : err_set(why, ERR_NOMEM,
                                         "no memory for the settings in force");
    if (!e) {
        gather_facts(s, facts);
        e = effective_print(s->setup, &s->link, facts, text, EFFECTIVE_MAX,
                            why);
    }
    if (!e)
        e = spool_file_append(&s->spool, SPOOL_EXECUTOR, text, strlen(text),
                              why);
    free(facts);
    free(text);
    return e;
}

/* What a target that is defined finds in its working folder. */
static enum err furnish(const struct stage *s, struct why *why)
{
    const struct setup *setup = s->setup;
    const struct target_ground ground = setup_ground(setup);
    int work = open(setup->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work < 0)
        return err_errno(why, errno, "%s", setup->work);
    enum err e =
        target_write_files(work, setup->target, &setup->spec, &ground, why);
    (void)close(work);
    return e;
}

static enum cage_mode cage_mode_of(const struct setup *setup)
{
    if (setup->mode == FACTS_PLAIN)
        return CAGE_PLAIN;
    if (setup->host_net)
        return CAGE_HOST_NET;
    return setup->link.kind == LINK_ETHERNET ? CAGE_HOST_NET : CAGE_NAMESPACES;
}

enum err stage_build(struct stage *s, struct setup *setup, struct why *why)
{
    enum cage_mode mode = cage_mode_of(setup);
    bool shared = setup->link.kind == LINK_LOOPBACK && !setup->host_net;
    enum err e = ERR_OK;
    const char *const writable[] = {setup->work, NULL};
    /* Corpora outlive the attempt. */
    const char *const of_load[] = {setup->work, s->cache, NULL};
    e = closing_begin(&s->closing, setup->config, s->may, why);
    if (!e)
        e = attempt_groups_open(&s->groups, s->may, setup->parts,
                                &setup->target_limits, &setup->load_limits,
                                why);
    if (!e && (setup->parts & PART_BIT(PART_WATCH_TARGET)))
        e = cage_open(&s->target, mode, NULL, writable, why);
    if (!e && (setup->parts & PART_BIT(PART_LOAD)))
        e = cage_open(&s->load, mode, shared ? &s->target : NULL, of_load, why);
    if (!e)
        e = machine_settle(setup->config, s->host, s->dir, why);
    if (!e)
        e = settings_nic(setup, s->host, why);
    if (!e)
        e = link_make(&setup->link, &s->target, &s->load, &s->link, why);
    if (!e)
        e = settings_kernel(setup, s->target.init ? &s->target : &s->load,
                            s->host, why);
    if (!e && setup->target->doc)
        e = furnish(s, why);
    return e ? e : note_effective(s, why);
}

/* Hearing ---------------------------------------------------------------- */

/* Where events go while stage_hear runs. */
struct hearing {
    struct stage *stage;
    uint64_t now_ns;
    stage_event *event;
    void *ctx;
};

static void say(const struct hearing *h, struct attempt_event ev)
{
    ev.now_ns = h->now_ns;
    h->event(h->ctx, &ev);
}

static void fault(const struct hearing *h, const struct why *why)
{
    say(h, (struct attempt_event){.kind = EVENT_FAULT, .text = why->text});
}

/* Move one piece from a pipe to the spool: bytes moved, 0 when there is none
 * now or none will come (then *fd is closed). */
static size_t take(struct stage *s, enum part part, int *fd, bool err,
                   struct why *why)
{
    char buf[SPOOL_RECORD_MAX];
    if (*fd < 0)
        return 0;
    ssize_t n = read(*fd, buf, sizeof buf);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        (void)close(*fd);
        *fd = -1;
    }
    if (n <= 0)
        return 0;
    enum spool_stream stream = data_stream(part);
    if (err) {
        process_note(&s->process[part], buf, (size_t)n);
        stream = on_target_side(part) ? SPOOL_STDERR_TARGET : SPOOL_STDERR_LOAD;
    }
    if (!s->spool.broken &&
        spool_file_append(&s->spool, stream, buf, (size_t)n, why))
        log_error("spool: %s", why->text);
    return (size_t)n;
}

static void hear_pipe(const struct hearing *h, enum part part, bool err,
                      size_t max)
{
    struct stage *s = h->stage;
    struct process *p = &s->process[part];
    bool was_broken = s->spool.broken;
    struct why why = {0};
    for (size_t total = 0, n; total < max; total += n)
        if ((n = take(s, part, err ? &p->err : &p->data, err, &why)) == 0)
            break;
    if (s->spool.broken && !was_broken)
        fault(h, &why);
}

/* One message; false when there is none. */
static bool hear_control(const struct hearing *h, enum part part)
{
    struct process *p = &h->stage->process[part];
    struct child_msg msg;
    struct why why = {0};
    if (p->control < 0)
        return false;
    enum err e = child_receive(p->control, &msg, &why);
    if (e == ERR_AGAIN)
        return false;
    if (!e) {
        say(h, (struct attempt_event){
                   .kind = EVENT_MSG, .part = part, .msg = &msg});
        return true;
    }
    (void)close(p->control);
    p->control = -1;
    if (e == ERR_PROTOCOL) {
        (void)err_wrap(&why, e, "%s", part_name(part));
        fault(h, &why);
    }
    return false;
}

static void hear_exit(const struct hearing *h, enum part part)
{
    struct process *p = &h->stage->process[part];
    int status;
    while (hear_control(h, part))
        ;
    hear_pipe(h, part, true, REST_MAX);
    if (!process_reap(p, &status))
        return;
    char line[PROCESS_LINE_MAX];
    line_copy(line, sizeof line, process_last_line(p));
    char limit[100];
    bool starved =
        WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        attempt_groups_starved(&h->stage->groups, part, limit, sizeof limit);
    char stayed[120];
    bool foreign = part == PART_TARGET && h->stage->setup->silent;
    /* Our own programs head their last words with their name. */
    size_t name = strlen(command_program(part));
    bool headed = !strncmp(line, command_program(part), name) &&
                  !strncmp(line + name, ": ", 2);
    say(h, (struct attempt_event){
               .kind = EVENT_EXIT,
               .part = part,
               .status = status,
               .starved = starved,
               .stayed = foreign && orphan_names(&h->stage->target, stayed,
                                                 sizeof stayed)
                             ? stayed
                             : NULL,
               .text = starved  ? limit
                       : headed ? line + name + 2
                                : line});
}

void stage_watch(const struct stage *s, struct pollfd fds[STAGE_FDS])
{
    for (unsigned p = 0; p < PARTS; p++) {
        const struct process *process = &s->process[p];
        struct pollfd *at = fds + p * SLOTS;
        at[SLOT_CONTROL].fd = process->control;
        at[SLOT_DATA].fd = process->data;
        at[SLOT_ERR].fd = process->err;
        at[SLOT_EXIT].fd = process->pidfd;
        for (unsigned i = 0; i < SLOTS; i++) {
            at[i].events = POLLIN;
            at[i].revents = 0;
        }
    }
}

void stage_hear(struct stage *s, const struct pollfd fds[STAGE_FDS],
                uint64_t now_ns, stage_event *event, void *ctx)
{
    const struct hearing h = {s, now_ns, event, ctx};
    for (unsigned p = 0; p < PARTS; p++) {
        const struct pollfd *at = fds + p * SLOTS;
        if (at[SLOT_ERR].revents)
            hear_pipe(&h, (enum part)p, true, 1);
        if (at[SLOT_DATA].revents)
            hear_pipe(&h, (enum part)p, false, 1);
        if (at[SLOT_CONTROL].revents)
            (void)hear_control(&h, (enum part)p);
        if (at[SLOT_EXIT].revents)
            hear_exit(&h, (enum part)p);
    }
}

/* Seal ------------------------------------------------------------------- */

/* End every process and take what its pipes still hold. */
static void end_parts(struct stage *s, struct why *why)
{
    for (unsigned p = 0; p < PARTS; p++)
        process_stop(&s->process[p]);
    for (unsigned p = 0; p < PARTS; p++) {
        struct process *process = &s->process[p];
        size_t n, total = 0;
        while (total < REST_MAX &&
               (n = take(s, (enum part)p, &process->err, true, why)))
            total += n;
        total = 0;
        while (total < REST_MAX &&
               (n = take(s, (enum part)p, &process->data, false, why)))
            total += n;
        process_close(process);
    }
}

/* Once everything is undone. */
static void note_closing(struct stage *s)
{
    struct why why = {0};
    char *text = malloc(CLOSING_MAX);
    if (!text)
        return;
    closing_print(&s->closing, s->setup, &s->groups, s->may, text, CLOSING_MAX);
    if (text[0] && s->dir >= 0 && !s->spool.broken &&
        spool_file_append(&s->spool, SPOOL_CLOSING, text, strlen(text), &why))
        log_warn("%s", why.text);
    free(text);
}

/* A target that speaks the child contract has sent its own. */
static void take_last_word(struct stage *s)
{
    const struct target_def *def = s->setup->target;
    struct why why = {0};
    if (def && def->last[0] && s->dir >= 0 && !s->spool.broken &&
        last_word_take(s->dir, def->last, &s->spool, &why))
        log_warn("%s", why.text);
}

enum err stage_seal(struct stage *s, struct manifest *m, struct why *why)
{
    bool was_broken = s->spool.broken;
    enum err e = ERR_OK;
    if (m->outcome == OUTCOME_OK) /* else nobody asks */
        closing_settings(&s->closing, s->setup,
                         s->target.init ? &s->target : &s->load);
    cage_kill(&s->target);
    cage_kill(&s->load);
    attempt_groups_kill(&s->groups);
    end_parts(s, why);
    orphan_end(&s->target);
    cage_close(&s->load);
    cage_close(&s->target);
    attempt_groups_close(&s->groups);
    /* Not before: a target that still runs would be hit by it. */
    if (s->host && host_undo(s->host, why))
        log_error("held: %s", why->text);
    note_closing(s);
    if (s->dir >= 0 && !s->spool.broken && gc_log_take(s->dir, &s->spool, why))
        log_warn("%s", why->text);
    take_last_word(s);
    if (s->dir >= 0 && !s->spool.broken &&
        recording_take(s->dir, &s->spool, why))
        log_warn("%s", why->text);
    if (s->dir >= 0 && spool_file_end(&s->spool, why))
        log_error("spool: %s", why->text);
    if (s->spool.broken && !was_broken && m->outcome == OUTCOME_OK) {
        m->outcome = OUTCOME_FAILED;
        line_copy(m->text, sizeof m->text, why->text);
    }
    m->records = s->spool.records;
    m->bytes = s->spool.bytes;
    m->crc = s->spool.crc;
    if (s->dir >= 0)
        e = attempt_dir_seal(s->dir, &s->spool, m, why);
    const int fds[] = {s->dir, s->plan, s->spool.fd};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    stage_init(s);
    return e;
}
