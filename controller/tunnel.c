#include "controller/tunnel.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/units.h"
#include "controller/last_line.h"

#define SSH      "ssh://"
#define START_NS (20 * NS_PER_S)
#define STOP_NS  NS_PER_S
#define LOOK_NS  (5 * NS_PER_MS)
#define ARGS_MAX 32

struct tunnel {
    struct tunnel_place place;
    char folder[64], socket[80], log[80], url[96];
    pid_t pid;  /* 0: none */
    int status; /* of waitpid, once it has ended */
};

bool tunnel_is(const char *url)
{
    return !strncmp(url, SSH, strlen(SSH));
}

/* Nothing that begins as an option, and no blanks or signs that a
 * configuration of ssh could give to a shell. */
static bool good_host(const char *text, size_t n)
{
    bool begins = true; /* USER or HOST */
    if (!n || n >= sizeof((struct tunnel_place *)0)->host)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool word = isalnum((unsigned char)text[i]) || text[i] == '_';
        if (!word && (begins || !strchr("-.@:[]%", text[i])) && text[i] != '[')
            return false;
        begins = text[i] == '@';
    }
    return text[n - 1] != '@' && memchr(text, '@', n) == memrchr(text, '@', n);
}

/* A whole path without a colon, which would end it in -L. */
static bool good_path(const char *path)
{
    return path[0] == '/' && path[1] && !strchr(path, ':') &&
           strlen(path) < sizeof((struct tunnel_place *)0)->path;
}

static bool parse(const char *url, struct tunnel_place *out)
{
    uint64_t port = 0;
    if (!tunnel_is(url))
        return false;
    const char *rest = url + strlen(SSH);
    size_t n = strcspn(rest, "/");
    const char *path = rest[n] ? rest + n : TUNNEL_PATH;
    const char *colon = memrchr(rest, ':', n);
    if (colon && memchr(colon, ']', (size_t)(rest + n - colon)))
        colon = NULL; /* of an address in brackets */
    size_t host = colon ? (size_t)(colon - rest) : n;
    size_t digits = colon ? n - host - 1 : 0;
    if (!good_host(rest, host) || !good_path(path) || digits > 5)
        return false;
    (void)snprintf(out->host, sizeof out->host, "%.*s", (int)host, rest);
    (void)snprintf(out->port, sizeof out->port, "%.*s", (int)digits,
                   colon ? colon + 1 : "");
    (void)snprintf(out->path, sizeof out->path, "%s", path);
    return !colon || (!units_u64(out->port, 65535, &port, NULL) && port);
}

enum err tunnel_parse(const char *url, struct tunnel_place *out,
                      struct why *why)
{
    *out = (struct tunnel_place){.host = ""};
    if (parse(url, out))
        return ERR_OK;
    return err_set(why, ERR_USAGE,
                   "%s: not an address; accepted: "
                   "ssh://[USER@]HOST[:PORT][/PATH] with the PATH of the "
                   "agent's socket, without it " TUNNEL_PATH,
                   url);
}

static const char *last(const struct tunnel *t, char *buf, size_t size)
{
    return last_line(t->log, buf, size);
}

/* In the child: between fork and exec only system calls. */
static void become(const struct tunnel *t, char *const argv[], pid_t parent)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0); /* Ctrl-C is for us alone */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    int null = open("/dev/null", O_RDWR);
    int log = open(t->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (getppid() != parent || dup2(null, STDIN_FILENO) < 0 ||
        dup2(null, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        _exit(126);
    (void)close_range(STDERR_FILENO + 1, ~0u, 0);
    (void)execvp(argv[0], argv);
    _exit(127);
}

static enum err spawn(struct tunnel *t, struct why *why)
{
    char forward[sizeof t->socket + sizeof t->place.path];
    /* No master of the user's is shared: it would keep our forward. */
    char *argv[ARGS_MAX] = {"ssh",
                            "-N",
                            "-T",
                            "-o",
                            "BatchMode=yes",
                            "-o",
                            "ExitOnForwardFailure=yes",
                            "-o",
                            "StreamLocalBindUnlink=yes",
                            "-o",
                            "ConnectTimeout=10",
                            "-o",
                            "ServerAliveInterval=5",
                            "-o",
                            "ServerAliveCountMax=3",
                            "-o",
                            "ControlPath=none",
                            "-o",
                            "ForwardAgent=no",
                            "-o",
                            "ForwardX11=no",
                            "-L",
                            forward};
    size_t n = 0;
    while (argv[n])
        n++;
    if (t->place.port[0]) {
        argv[n++] = "-p";
        argv[n++] = t->place.port;
    }
    argv[n++] = "--";
    argv[n++] = t->place.host;
    (void)snprintf(forward, sizeof forward, "%s:%s", t->socket, t->place.path);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        become(t, argv, parent);
    if (pid < 0)
        return err_errno(why, errno, "start ssh");
    t->pid = pid;
    return ERR_OK;
}

bool tunnel_alive(struct tunnel *t)
{
    if (t->pid && waitpid(t->pid, &t->status, WNOHANG) == t->pid)
        t->pid = 0;
    return t->pid != 0;
}

/* Why ssh has ended. */
static enum err ended(const struct tunnel *t, struct why *why)
{
    char line[256];
    if (WIFEXITED(t->status) && WEXITSTATUS(t->status) == 127)
        return err_set(why, ERR_NOTFOUND, "no program ssh in PATH");
    (void)last(t, line, sizeof line);
    return err_set(why, ERR_REFUSED, "ssh ended%s%s", line[0] ? ": " : "",
                   line);
}

static enum err wait_for_socket(struct tunnel *t, struct why *why)
{
    uint64_t due_ns = clock_mono_ns() + START_NS;
    while (access(t->socket, F_OK)) {
        if (!tunnel_alive(t))
            return ended(t, why);
        if (clock_mono_ns() >= due_ns)
            return err_set(why, ERR_TIMEOUT, "ssh made no socket within 20 s");
        clock_sleep_until(clock_mono_ns() + LOOK_NS);
    }
    return ERR_OK;
}

static enum err make_folder(struct tunnel *t, struct why *why)
{
    (void)snprintf(t->folder, sizeof t->folder, "/tmp/pitwall-ssh-XXXXXX");
    if (!mkdtemp(t->folder)) {
        enum err e = err_errno(why, errno, "make %s", t->folder);
        t->folder[0] = '\0';
        return e;
    }
    (void)snprintf(t->socket, sizeof t->socket, "%s/agent.sock", t->folder);
    (void)snprintf(t->log, sizeof t->log, "%s/ssh.log", t->folder);
    (void)snprintf(t->url, sizeof t->url, "ipc://%s", t->socket);
    return ERR_OK;
}

enum err tunnel_open(struct tunnel **out, const char *url, struct why *why)
{
    *out = NULL;
    struct tunnel *t = calloc(1, sizeof *t);
    if (!t)
        return err_set(why, ERR_NOMEM, "%s: out of memory", url);
    enum err e = tunnel_parse(url, &t->place, why);
    if (e) {
        free(t);
        return e;
    }
    e = make_folder(t, why);
    if (!e)
        e = spawn(t, why);
    if (!e)
        e = wait_for_socket(t, why);
    if (e) {
        tunnel_close(t);
        return err_wrap(why, e, "%s", url);
    }
    *out = t;
    return ERR_OK;
}

const char *tunnel_url(const struct tunnel *t)
{
    return t->url;
}

const char *tunnel_said(const struct tunnel *t, char *buf, size_t size)
{
    return last(t, buf, size);
}

static void end_process(struct tunnel *t)
{
    uint64_t due_ns = clock_mono_ns() + STOP_NS;
    if (!tunnel_alive(t))
        return;
    (void)kill(t->pid, SIGTERM);
    while (tunnel_alive(t) && clock_mono_ns() < due_ns)
        clock_sleep_until(clock_mono_ns() + LOOK_NS);
    if (t->pid) {
        (void)kill(t->pid, SIGKILL);
        (void)waitpid(t->pid, &t->status, 0);
        t->pid = 0;
    }
}

enum err tunnel_restart(struct tunnel *t, struct why *why)
{
    end_process(t);
    (void)unlink(t->socket);
    return spawn(t, why);
}

void tunnel_close(struct tunnel *t)
{
    if (!t)
        return;
    end_process(t);
    if (t->folder[0]) {
        (void)unlink(t->socket);
        (void)unlink(t->log);
        (void)rmdir(t->folder);
    }
    free(t);
}
