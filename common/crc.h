/* CRC-32C (Castagnoli, RFC 3720 appendix B.4): spool records, manifests and
 * stored rows. */
#ifndef PITWALL_COMMON_CRC_H
#define PITWALL_COMMON_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Extend crc (0 at the start) by len bytes; pieces may follow one another. */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* The same without the CPU's instruction, which crc32c uses where there is one.
 */
uint32_t crc32c_plain(uint32_t crc, const void *data, size_t len);

#endif
