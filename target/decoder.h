/* One connection's bytes become requests. The parser is fed in the steps in
 * which Netty's decoder works: a header line, then slices of at most 8 KiB of
 * body; so it holds no pointer into the managed heap while something is
 * allocated, and it stops exactly at a request's end, leaving pipelined
 * requests in the buffer until their turn. */
#ifndef PITWALL_TARGET_DECODER_H
#define PITWALL_TARGET_DECODER_H

#include "common/http1.h"
#include "target/body.h"
#include "target/cumulation.h"
#include "target/header.h"

#define DECODER_LINE_MAX  4096u        /* of a request line */
#define DECODER_BODY_MAX  (100u << 20) /* http.max_content_length */
#define DECODER_SMALL_MAX 512u

/* Small objects of a request and its answer, beside those of its header lines
 * (header.h): measured on Netty 4.1.48. */
#define DECODER_REQUEST_GARBAGE 1600u

struct request {
    enum http1_method method;
    char target[DECODER_LINE_MAX + 1];
    size_t target_len;
    bool keep_alive;
    uint64_t body_bytes;
    /* Native input: the body's first bytes. */
    char small[DECODER_SMALL_MAX];
    size_t small_len;
};

enum decode {
    DECODE_MORE,     /* the input is used up */
    DECODE_CONTINUE, /* the client waits for 100 Continue; decode on */
    DECODE_REQUEST,  /* complete; decoder_next before decoding on */
    DECODE_LONG,     /* request line too long */
    DECODE_LARGE,    /* body too large */
    DECODE_BAD,      /* not HTTP; why says how */
    DECODE_OOM
};

enum decoder_phase {
    DECODER_HEAD,
    DECODER_BODY,
    DECODER_CHUNK_SIZE,
    DECODER_CHUNK,
    DECODER_CHUNK_END,
    DECODER_TRAILER
};

struct decoder {
    struct http1 *parser;
    struct header header;
    struct body body;
    struct cumulation kept; /* a read that ended inside a line */
    bool in_line;           /* a line is unfinished; it began at kept.off */
    struct request request;
    enum decoder_phase phase;
    uint64_t left; /* of the body or the chunk */
    uint32_t line; /* bytes of the request line so far */
    bool in_first; /* the request line */
    bool in_size;  /* the digits of a chunk's size */
    bool cr;       /* the byte before was a carriage return */
    bool begun;    /* a byte of this request was seen */
    bool headed, complete;
    bool expect;
    char name[20], value[20]; /* the header at hand */
    size_t name_len, value_len;
    bool in_value;
    uint64_t fed; /* body bytes that the parser reported in this step */
};

/* A new connection. False: out of memory, nothing to free. Native input needs
 * no header array: m is NULL then. */
CHECKED bool decoder_init(struct decoder *d, struct mutator *m,
                          uint32_t initial_chars, uint32_t max_parts);
void decoder_fini(struct decoder *d, struct mutator *m);

/* Decode from in until something is to be done. The body's `keep` follows in:
 * while bytes are left in it the caller owns the buffer, afterwards the decoder
 * does if a line is unfinished, the body if it holds a slice, else it is
 * released; in->ref becomes 0. A read that follows an unfinished line is
 * merged with it: in is then another buffer. Every pointer of m may die. */
CHECKED enum decode decoder_run(struct decoder *d, struct mutator *m,
                                struct input *in, struct why *why);

/* The request was answered, its body released: begin the next. */
void decoder_next(struct decoder *d);

#endif
