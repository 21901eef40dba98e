/* An agent's facts, which only HELLO's answer would tell; the gate gives it
 * here, and these are never asked. */
#include "agent/executor/facts.h"

#include <stdlib.h>

#include "agent/executor/host.h"
#include "agent/executor/machine_facts.h"
#include "agent/executor/nic_facts.h"
#include "agent/executor/target.h"

/* Asked at each PREPARE: no interface may be set. */
void facts_nic(struct facts *f, const char *interface, const char *listen)
{
    (void)f;
    (void)interface;
    (void)listen;
}

void facts_features(const struct facts *f, char *buf, size_t size)
{
    (void)f;
    (void)buf;
    (void)size;
    abort();
}

void facts_missing(const struct facts *f, char *buf, size_t size)
{
    facts_features(f, buf, size);
}

void target_list(const struct targets *t, char *buf, size_t size)
{
    (void)t;
    facts_features(NULL, buf, size);
}

void target_maps(const struct targets *t, char *buf, size_t size)
{
    target_list(t, buf, size);
}

void machine_facts_add(struct notes *notes, const char *root)
{
    (void)notes;
    (void)root;
    abort();
}

enum err nic_facts_of(const struct cage *cage, const char *dev,
                      struct notes *notes, struct why *why)
{
    (void)cage;
    (void)dev;
    (void)notes;
    return err_set(why, ERR_UNSUPPORTED, "no interface");
}
