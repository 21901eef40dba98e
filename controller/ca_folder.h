/* The folder of a lab's two authorities, and the folders of credentials that
 * they give out:
 *
 *   DIR/agents-ca.crt, .key        signs agents; controllers trust it
 *   DIR/controllers-ca.crt, .key   signs controllers; agents trust it
 *   DIR/NAME/ca.pem, cert.pem, key.pem   to be taken to NAME's machine
 *
 * Two, so that a stolen agent's key commands no other agent. Keys are 0600,
 * folders 0700. */
#ifndef PITWALL_CONTROLLER_CA_FOLDER_H
#define PITWALL_CONTROLLER_CA_FOLDER_H

#include "controller/ca.h"

#define CA_FOLDER_YEARS 10

/* Make both authorities at now_s (Unix time), valid for CA_FOLDER_YEARS, in
 * dir, which is made if it is not there. ERR_EXISTS: dir has one already. */
CHECKED enum err ca_folder_init(const char *dir, int64_t now_s,
                                struct why *why);

struct ca_folder_wish {
    const char *dir, *name;
    enum ca_role role;
    int64_t now_s, valid_s; /* Unix time; from then on, a day back for clocks
                               that are not set well */
    bool renew;             /* NAME has credentials, which are replaced */
};

/* Issue DIR/NAME; *until_s is its last second.
 * Errors  ERR_NOTFOUND: no authorities in dir; ERR_EXISTS: NAME has them and
 *         renew is not set; ERR_PERMISSION: others may open the authority's
 *         key; ERR_USAGE: the name. */
CHECKED enum err ca_folder_issue(const struct ca_folder_wish *wish,
                                 int64_t *until_s, struct why *why);

#endif
