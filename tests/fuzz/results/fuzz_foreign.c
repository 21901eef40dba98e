/* Files of figures that others measured: CSV of both forms, races. What was
 * taken is within its bounds. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "results/foreign_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte says whether factors are named. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    struct foreign f;
    if (!size)
        return 0;
    enum err e = foreign_read(&f, "f", (const char *)data + 1, size - 1,
                              *data == '#' ? "a,b" : NULL, &why);
    if (e ? !why.text[0] : !f.n_trials)
        abort();
    for (size_t i = 0; i < f.n_values; i++)
        if (f.values[i].trial >= f.n_trials || !isfinite(f.values[i].value) ||
            f.values[i].metric >= f.metrics.n || f.values[i].task >= f.tasks.n)
            abort();
    for (size_t i = 0; i < f.n_trials; i++)
        if (f.trials[i].cell >= f.cells.n)
            abort();
    foreign_fini(&f);
    return 0;
}
