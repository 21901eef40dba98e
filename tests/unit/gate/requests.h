/* Requests as a controller writes them, and replies as it reads them. */
#ifndef PITWALL_TESTS_UNIT_GATE_REQUESTS_H
#define PITWALL_TESTS_UNIT_GATE_REQUESTS_H

#include "common/msg.h"

#define REQUESTS_EID "0b5e7c1a-1111-4222-8333-444455556666"

/* A spec that every rule accepts. */
struct trial_spec requests_spec(void);

/* An envelope of this op with seq 7, ids and token 99, no body. */
struct msg_request requests_envelope(const char *op);

/* Encode an envelope, around a body of this kind where in is given. The caller
 * frees with wire_buf_free. */
struct wire_buf requests_plain(const struct msg_request *envelope);
struct wire_buf requests_with(const char *op, enum msg_kind kind,
                              const void *in);

/* A PREPARE of this spec and plan. */
struct wire_buf requests_prepare(const struct trial_spec *spec,
                                 const char *plan);

/* Decode a reply; the body points into data. Fails the test otherwise. */
struct msg_reply requests_reply(const void *data, size_t len);

#endif
