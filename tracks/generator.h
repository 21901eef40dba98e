/* Generators: document i of a corpus as a pure function of its seed and i, so
 * that any machine makes the same bytes, in any order, from any place on. */
#ifndef PITWALL_TRACKS_GENERATOR_H
#define PITWALL_TRACKS_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

struct generator {
    const char *name;
    unsigned version;  /* raised when its bytes change */
    const char *about; /* one line for --help and refusals */
    size_t doc_max;    /* no document is longer, in bytes */
    /* Write document i, one line of JSON without its newline, to buf (doc_max
     * bytes); returns its length. */
    size_t (*make)(char *buf, uint64_t seed, uint64_t i);
};

/* The generator called name; NULL: none is. */
const struct generator *generator_find(const char *name);

/* Generator i of all, NULL past the last. */
const struct generator *generator_at(size_t i);

/* The names, separated by ", ", into buf (returned). */
const char *generator_names(char *buf, size_t size);

/* Place names of the world, about 310 bytes each (geonames.c). */
extern const struct generator generator_geonames;

/* Lines of a web server's log, about 135 bytes each (http_logs.c). */
extern const struct generator generator_http_logs;

/* Taxi rides, about 480 bytes each (nyc_taxis.c). */
extern const struct generator generator_nyc_taxis;

/* Papers in full text, about 40 kB each (pmc.c). */
extern const struct generator generator_pmc;

#endif
