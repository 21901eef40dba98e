/* The lab file (JSON): its agents, and the benches that they make.
 *
 *   {"version": 1,
 *    "agents": [{"name": "srv", "url": "tcp://10.0.0.1:7411"}, ...],
 *    "benches": [{"name": "rack1", "target": "srv", "load": ["gen1", "gen2"]}],
 *    "tls": "op"}
 *
 * A bench without "load" is its target's agent alone, which has both roles.
 * tls: tls_files.h; for urls of tls+tcp, behind which an agent's own name is
 * expected to be in its certificate. */
#ifndef PITWALL_CONTROLLER_LAB_FILE_H
#define PITWALL_CONTROLLER_LAB_FILE_H

#include "common/tls_files.h"
#include "controller/needs.h"

#define LAB_FILE_MAX         (1u << 20)
#define LAB_FILE_AGENTS_MAX  64u
#define LAB_FILE_BENCHES_MAX 16u
#define LAB_FILE_NAME_MAX    64u
#define LAB_FILE_URL_MAX     255u

struct lab_agent {
    char name[LAB_FILE_NAME_MAX + 1]; /* "": whatever it calls itself */
    char url[LAB_FILE_URL_MAX + 1];
};

/* Where a bench's agents are, the target's first. */
struct lab_place {
    char bench[LAB_FILE_NAME_MAX + 1]; /* "": as the target's agent */
    struct lab_agent agents[NEEDS_AGENTS_MAX];
    unsigned n;
};

/* Of the benches that an experiment runs on; some 90 KB. */
struct lab_places {
    struct lab_place items[LAB_FILE_BENCHES_MAX];
    unsigned n;
};

/* A plain value, some 350 KB. */
struct lab_file {
    struct lab_agent agents[LAB_FILE_AGENTS_MAX];
    unsigned n_agents;
    struct lab_place benches[LAB_FILE_BENCHES_MAX];
    unsigned n_benches;
    struct tls_files tls; /* of whoever uses the file */
};

/* Read the file at path; lab_file_parse: a document whose
 * file is in folder. Unknown keys,
 * names that stand there twice or nowhere: ERR_INVALID naming file, line and
 * key. Owns: *out, for free. */
CHECKED enum err lab_file_load(struct lab_file **out, const char *path,
                               struct why *why);
CHECKED enum err lab_file_parse(struct lab_file **out, const struct jv *root,
                                const char *folder, struct why *why);

/* The benches of these names ("rack1,rack2"; NULL: all) into *out.
 * ERR_USAGE: there is none of that name, the text names those that there are;
 * or two of them have an agent in common. */
CHECKED enum err lab_file_benches(const struct lab_file *file,
                                  const char *names, struct lab_places *out,
                                  struct why *why);

#endif
