/* SP's greeting, which both ends of a connection send first: version 0, then
 * the protocol (RFC draft "SP Mapping for TCP", section 4). */
#ifndef PITWALL_COMMON_GREETING_H
#define PITWALL_COMMON_GREETING_H

#define GREETING_BYTES 8u
#define GREETING_REQ   "\0SP\0\0\x30\0\0"
#define GREETING_REP   "\0SP\0\0\x31\0\0"

#endif
