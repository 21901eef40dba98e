#include "results/purpose.h"

#include <string.h>

const char *purpose_name(enum purpose purpose)
{
    static const char *const names[] = {
#define X(name, word) word,
        PURPOSES(X)
#undef X
    };
    return names[purpose];
}

enum err purpose_parse(const char *word, enum purpose *out, struct why *why)
{
    for (int i = 0; i < PURPOSE_LAST; i++)
        if (!strcmp(word, purpose_name((enum purpose)i))) {
            *out = (enum purpose)i;
            return ERR_OK;
        }
    return err_set(why, ERR_CORRUPT, "a cell's purpose \"%.40s\"", word);
}
