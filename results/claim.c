#include "results/claim.h"

#include <math.h>
#include <stdio.h>

enum claim_word claim_direction(double published, const struct claim_ours *ours)
{
    double low = ours->low, high = ours->high;
    if (!isfinite(published) || isnan(low) || isnan(high))
        return CLAIM_UNSETTLED;
    if (fabs(published - 1) <= CLAIM_SAME) {
        if (low >= 1 - CLAIM_SAME && high <= 1 + CLAIM_SAME)
            return CLAIM_YES;
        return low > 1 + CLAIM_SAME || high < 1 - CLAIM_SAME ? CLAIM_NO
                                                             : CLAIM_UNSETTLED;
    }
    if (published < 1 ? high < 1 : low > 1)
        return CLAIM_YES;
    return (published < 1 ? low > 1 : high < 1) ? CLAIM_NO : CLAIM_UNSETTLED;
}

enum claim_word claim_size(double published, const struct claim_ours *ours)
{
    if (!isfinite(published) || isnan(ours->low) || isnan(ours->high))
        return CLAIM_UNSETTLED;
    return published >= ours->low && published <= ours->high ? CLAIM_YES
                                                             : CLAIM_NO;
}

const char *claim_show(enum claim_word word)
{
    static const char *const words[] = {"yes", "no", "not settled"};
    return words[word];
}

const char *claim_show_ratio(double ratio, char *buf, size_t size)
{
    if (isfinite(ratio))
        (void)snprintf(buf, size, "x%.3g", ratio);
    else
        (void)snprintf(buf, size, "-");
    return buf;
}
