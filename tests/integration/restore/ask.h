/* Requests to a bench's agent, as its gate would send them. */
#ifndef PITWALL_TESTS_INTEGRATION_RESTORE_ASK_H
#define PITWALL_TESTS_INTEGRATION_RESTORE_ASK_H

#include "tests/integration/restore/bench.h"

#define ASK_EID "0f3c1d6e-0000-4000-8000-000000000001"

/* One request and its answer in b->reply: the error of the reply. */
enum err ask_call(struct bench *b, struct port_request *q, int plan);

/* The same for attempt 1 of a trial. */
enum err ask_op(struct bench *b, enum msg_op op, uint32_t tid);
enum err ask_acquire(struct bench *b, const char *owner, uint64_t ttl_ns);
enum err ask_prepare(struct bench *b, uint32_t tid,
                     const struct trial_spec *spec);
enum err ask_start_at(struct bench *b, uint32_t tid, uint64_t measure_ns);

/* A spec for loopback with the fakes behaving as said ("" is ok). */
struct trial_spec ask_spec(const char *target_as, const char *load_as);

/* Poll STATUS until the state is reached (fails the test after 10 s). */
void ask_until(struct bench *b, uint32_t tid, const char *state);

/* All the way to running, with the spec and this window. */
void ask_running(struct bench *b, uint32_t tid, const struct trial_spec *spec,
                 uint64_t measure_ns);

/* Wait until it is sealed with this outcome and a text that contains part. */
void ask_sealed(struct bench *b, uint32_t tid, const char *outcome,
                const char *part);

/* Stream's bytes of a sealed attempt's spool, terminated, the caller's to free;
 * checks framing, manifest counts and crc on the way. */
char *ask_stream(struct bench *b, uint32_t tid, int stream);

/* Fails the test unless the stream contains part. */
void ask_contains(struct bench *b, uint32_t tid, int stream, const char *part);

#endif
