#include "common/state.h"

#include <string.h>

#define X(name, text) text,
static const char *const states[] = {ATTEMPT_STATES(X)};
static const char *const outcomes[] = {ATTEMPT_OUTCOMES(X)};
static const char *const bounds[] = {ATTEMPT_BOUNDS(X)};
#undef X

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *name_of(const char *const *words, size_t n, unsigned i)
{
    return i < n ? words[i] : "unknown";
}

static enum err find(const char *const *words, size_t n, const char *word,
                     const char *what, unsigned *out, struct why *why)
{
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(words[i], word)) {
            *out = i;
            return ERR_OK;
        }
    return err_set(why, ERR_PROTOCOL, "\"%.40s\" is no %s", word, what);
}

const char *state_name(enum attempt_state s)
{
    return name_of(states, COUNT(states), (unsigned)s);
}

const char *outcome_name(enum attempt_outcome o)
{
    return name_of(outcomes, COUNT(outcomes), (unsigned)o);
}

const char *bound_name(enum attempt_bound b)
{
    return name_of(bounds, COUNT(bounds), (unsigned)b);
}

enum err state_parse(const char *word, enum attempt_state *s, struct why *why)
{
    unsigned i = 0;
    enum err e =
        find(states, COUNT(states), word, "state of an attempt", &i, why);
    if (!e)
        *s = (enum attempt_state)i;
    return e;
}

enum err outcome_parse(const char *word, enum attempt_outcome *o,
                       struct why *why)
{
    unsigned i = 0;
    enum err e = find(outcomes, COUNT(outcomes), word, "outcome", &i, why);
    if (!e)
        *o = (enum attempt_outcome)i;
    return e;
}

enum err bound_parse(const char *word, enum attempt_bound *b, struct why *why)
{
    unsigned i = 0;
    enum err e = find(bounds, COUNT(bounds), word, "bound", &i, why);
    if (!e)
        *b = (enum attempt_bound)i;
    return e;
}
