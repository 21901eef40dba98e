/* Segmentation and receive offloads of an interface, switched by the kernel's
 * feature strings and read back: the ioctl's old single flags leave variants
 * of TSO on. Works on the calling process's network namespace. */
#ifndef PITWALL_AGENT_EXECUTOR_ETHTOOL_H
#define PITWALL_AGENT_EXECUTOR_ETHTOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* Whether a feature string is one that `offloads` switches: every
 * tx-tcp*-segmentation, tx-generic-segmentation, rx-gro, rx-lro. */
bool ethtool_is_offload(const char *feature);

/* Switch them all on or off on dev. What the device cannot change is left to
 * the reading back. */
CHECKED enum err ethtool_set(const char *dev, bool on, struct why *why);

/* Names of those that are on, comma separated into buf; how many there are on
 * and off. */
CHECKED enum err ethtool_get(const char *dev, char *buf, size_t size,
                             unsigned *n_on, unsigned *n_off, struct why *why);

/* One feature by the kernel's string ("tx-gso-robust"): whether it is on, and
 * whether the device lets it be switched. ERR_NOTFOUND: there is none. */
CHECKED enum err ethtool_feature_get(const char *dev, const char *feature,
                                     bool *on, bool *fixed, struct why *why);
CHECKED enum err ethtool_feature_put(const char *dev, const char *feature,
                                     bool on, struct why *why);

/* Names of the offloads (ethtool_is_offload) that dev can switch and that are
 * not as wanted, one a line. */
CHECKED enum err ethtool_to_switch(const char *dev, bool on, char *buf,
                                   size_t size, struct why *why);

/* Names of the features that are on, one a line; offloads: of those alone. What
 * does not fit is left out. ERR_UNSUPPORTED: the driver has no features. */
CHECKED enum err ethtool_list(const char *dev, bool offloads, char *buf,
                              size_t size, struct why *why);

#endif
