/* The readers of /proc: the first byte chooses one. */
#include "agent/watch/cpustat.h"
#include "agent/watch/diskstats.h"
#include "agent/watch/netdev.h"
#include "agent/watch/netstat.h"
#include "agent/watch/pressure.h"
#include "agent/watch/procstat.h"
#include "agent/watch/threads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"InSegs", "OutSegs", "PruneCalled"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct netdev links[NETDEV_MAX];
    static struct diskstats disks[DISKSTATS_MAX];
    struct cpustat cpu;
    struct procstat process;
    struct pressure pressure;
    uint64_t values[3];
    if (!size)
        return 0;
    const char *text = (const char *)data + 1;
    switch (*data) {
    case 'n':
        (void)netdev_parse(text, size - 1, links, NETDEV_MAX);
        break;
    case 's':
        (void)netstat_parse(text, size - 1, "Tcp", names, values, 3);
        (void)netstat_parse(text, size - 1, "TcpExt", names, values, 3);
        break;
    case 'c':
        (void)cpustat_parse(text, size - 1, &cpu);
        break;
    case 'd':
        (void)diskstats_parse(text, size - 1, disks, DISKSTATS_MAX);
        break;
    case 'p':
        (void)pressure_parse(text, size - 1, &pressure);
        break;
    case 't':
        (void)threads_parse(text, size - 1, &values[0], &values[1]);
        break;
    default:
        (void)procstat_parse(text, size - 1, &process);
    }
    return 0;
}
