#include "agent/executor/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/facts.h"
#include "agent/executor/groups.h"
#include "agent/executor/small_file.h"
#include "common/log.h"

#define TEXT_MAX 8192u /* some eighty lines */

/* "BOOT PIDNS PID START", a process for all time; false: there is none. */
static bool identify(pid_t pid, char *buf, size_t size)
{
    char boot[37], state = 'Z';
    unsigned long long start = 0;
    struct stat ns;
    if (facts_boot_id(boot, NULL) || stat("/proc/self/ns/pid", &ns) ||
        !groups_look_at(pid, &state, &start) || state == 'Z' || state == 'X')
        return false;
    int n = snprintf(buf, size, "%s %llu %d %llu\n", boot,
                     (unsigned long long)ns.st_ino, (int)pid, start);
    return n > 0 && (size_t)n < size;
}

void children_note(int dir, pid_t pid)
{
    char line[128];
    if (!identify(pid, line, sizeof line))
        return; /* it has ended already */
    int fd =
        openat(dir, CHILDREN_NAME,
               O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
        log_warn("child %d is not noted: %s", (int)pid, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
}

/* By descriptor: between looking and killing the number may change hands. */
static bool end(pid_t pid, const char *line, size_t len)
{
    char now[128];
    int fd = pidfd_open(pid, 0);
    bool same = fd >= 0 && identify(pid, now, sizeof now) &&
                strlen(now) == len && !memcmp(now, line, len);
    bool killed = same && !pidfd_send_signal(fd, SIGKILL, NULL, 0);
    if (fd >= 0)
        (void)close(fd);
    return killed;
}

unsigned children_end(int dir)
{
    char text[TEXT_MAX];
    unsigned n = 0;
    (void)small_file_read(dir, CHILDREN_NAME, text, sizeof text);
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        int pid = 0;
        if (line[len] == '\n' && sscanf(line, "%*36s %*u %d", &pid) == 1 &&
            pid > 1)
            n += end((pid_t)pid, line, len + 1);
        line += len + (line[len] == '\n');
    }
    (void)unlinkat(dir, CHILDREN_NAME, 0);
    return n;
}
