/* Credentials for tests, made by our own authority: of both roles, and those
 * that must be refused. */
#ifndef PITWALL_TESTS_UNIT_CONTROLLER_PAPERS_H
#define PITWALL_TESTS_UNIT_CONTROLLER_PAPERS_H

#include "common/creds.h"
#include "controller/ca.h"

/* Two authorities, as a lab has them. */
struct papers {
    struct ca_pair authority[2]; /* by enum ca_role */
};

/* Make the authorities, valid around the machine's now. */
void papers_init(struct papers *papers);

/* Credentials of name in a role, signed by that role's authority, trusting the
 * other's; from and until are seconds from now. Owns: the caller's, for
 * creds_free. */
struct creds papers_issue(const struct papers *papers, const char *name,
                          enum ca_role role, int from_s, int until_s);

#endif
