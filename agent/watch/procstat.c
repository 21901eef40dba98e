#include "agent/watch/procstat.h"

#include <string.h>

#include "agent/watch/scan.h"

bool procstat_parse(const char *text, size_t len, struct procstat *out)
{
    struct scan head = scan_text(text, len), rest, word;
    const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len);

    memset(out, 0, sizeof *out);
    if (!open || !close || close < open)
        return false;
    head.end = open;
    if (!scan_u64(&head, &out->pid))
        return false;
    word = (struct scan){open + 1, close};
    scan_copy(&word, out->comm, sizeof out->comm);
    rest = (struct scan){close + 1, text + len};
    /* After comm: 3 state 4 ppid 5 PGRP 6 session 7 tty 8 tpgid 9 flags
     * 10 minflt 11 cminflt 12 MAJFLT 13 cmajflt 14 UTIME 15 STIME 16 cutime
     * 17 cstime 18 priority 19 nice 20 THREADS 21 itrealvalue 22 starttime
     * 23 vsize 24 RSS (proc(5)) */
    return scan_skip(&rest, 2) && scan_u64(&rest, &out->pgrp) &&
           scan_skip(&rest, 6) && scan_u64(&rest, &out->majflt) &&
           scan_skip(&rest, 1) && scan_u64(&rest, &out->user_ticks) &&
           scan_u64(&rest, &out->system_ticks) && scan_skip(&rest, 4) &&
           scan_u64(&rest, &out->threads) && scan_skip(&rest, 3) &&
           scan_u64(&rest, &out->rss_pages);
}
