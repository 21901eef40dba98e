#include "agent/watch/cpustat.h"

#include <string.h>

#include "agent/watch/scan.h"

bool cpustat_parse(const char *text, size_t len, struct cpustat *out)
{
    struct scan all = scan_text(text, len), line, word;
    memset(out, 0, sizeof *out);
    return scan_line(&all, &line) && scan_word(&line, &word) &&
           scan_is(&word, "cpu") && scan_u64(&line, &out->user) &&
           scan_u64(&line, &out->nice) && scan_u64(&line, &out->system) &&
           scan_u64(&line, &out->idle) && scan_u64(&line, &out->iowait) &&
           scan_u64(&line, &out->irq) && scan_u64(&line, &out->softirq) &&
           scan_u64(&line, &out->steal);
}
