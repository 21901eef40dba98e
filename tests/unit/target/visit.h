/* Requests of every kind, sent to a server that may end at any of them. */
#ifndef PITWALL_TESTS_UNIT_TARGET_VISIT_H
#define PITWALL_TESTS_UNIT_TARGET_VISIT_H

#include "tests/unit/target/client.h"

/* Bulks, plain, chunked, cut, pipelined, too large, malformed, with Expect; a
 * search, a merge, settings, the index's end; one connection after the other,
 * or all at once. Ends early when the server is gone. */
void visit_in_turn(const struct running *r);
void visit_at_once(const struct running *r);

#endif
