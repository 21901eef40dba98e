#include "load/totals.h"

void totals_add(struct totals *into, const struct totals *t)
{
    into->docs_acked += t->docs_acked;
    into->docs_refused += t->docs_refused;
    into->docs_unknown += t->docs_unknown;
    into->requests += t->requests;
    into->body_bytes += t->body_bytes;
    into->errors += t->errors;
    into->docs_assumed += t->docs_assumed;
}
