/* Where the credentials of one end of the control plane are: the value of "tls"
 * in agent.json and lab files, or of --tls. Reading them is creds.c's. */
#ifndef PITWALL_COMMON_TLS_FILES_H
#define PITWALL_COMMON_TLS_FILES_H

#include <limits.h>

#include "common/json.h"

struct tls_files {
    char ca[PATH_MAX], cert[PATH_MAX], key[PATH_MAX]; /* "": none are given */
};

/* The files of a folder as `pitwall ca issue` makes it: ca.pem, cert.pem,
 * key.pem. ERR_RANGE: too long. */
CHECKED enum err tls_files_folder(struct tls_files *out, const char *folder,
                                  struct why *why);

/* Take "tls": such a folder as a text, or {"ca", "cert", "key"}; relative ones
 * are in folder ("": the working one). NULL: out is left alone. ERR_INVALID
 * names file and line. */
CHECKED enum err tls_files_read(struct tls_files *out, const struct jv *v,
                                const char *folder, struct why *why);

#endif
