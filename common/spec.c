#include "common/spec.h"

const struct wire_field *spec_fields(size_t *n_fields)
{
    typedef struct trial_spec wire_this;
    static const struct wire_field rows[] = {WIRE_ROWS(TRIAL_SPEC)};
    *n_fields = sizeof rows / sizeof *rows;
    return rows;
}
