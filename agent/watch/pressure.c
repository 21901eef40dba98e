#include "agent/watch/pressure.h"

#include "agent/watch/counter.h"
#include "agent/watch/scan.h"

#define NS_PER_US 1000u

const char *const pressure_files[PRESSURES] = {"pressure/cpu", "pressure/io",
                                               "pressure/memory"};

/* "total=N", in microseconds. */
static bool parse_total(struct scan *word, uint64_t *out)
{
    static const char name[] = "total=";
    const char *c = name;
    while (*c && word->at < word->end && *word->at == *c)
        c++, word->at++;
    return !*c && scan_u64(word, out) &&
           !__builtin_mul_overflow(*out, NS_PER_US, out);
}

bool pressure_parse(const char *text, size_t len, struct pressure *out)
{
    struct scan all = scan_text(text, len), line, kind, word;
    bool some = false, good = true;
    *out = (struct pressure){0};
    while (scan_line(&all, &line)) {
        if (!scan_word(&line, &kind))
            continue;
        bool is_some = scan_is(&kind, "some");
        if (!is_some && !scan_is(&kind, "full"))
            continue;
        some |= is_some;
        good &= scan_skip(&line, 3) && scan_word(&line, &word) &&
                parse_total(&word, is_some ? &out->some_ns : &out->full_ns);
    }
    if (some && good)
        return true;
    *out = (struct pressure){0};
    return false;
}

struct pressure pressure_since(const struct pressure *before,
                               const struct pressure *now)
{
    return (struct pressure){counter_since(before->some_ns, now->some_ns),
                             counter_since(before->full_ns, now->full_ns)};
}
