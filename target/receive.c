#include "target/receive.h"

#include <errno.h>
#include <sys/socket.h>

/* recv(2)'s answer; n receives the bytes. */
static enum receive judge(ssize_t got, int errnum, uint32_t *n)
{
    *n = got > 0 ? (uint32_t)got : 0;
    if (got > 0)
        return RECEIVE_BYTES;
    if (got < 0 && (errnum == EAGAIN || errnum == EINTR))
        return RECEIVE_NONE;
    return RECEIVE_END;
}

bool receive_buffer(struct predictor *p, struct mutator *m, struct input *in)
{
    *in = (struct input){.capacity = predictor_guess(p)};
    if (heap_garbage(m, BODY_READ_BEFORE))
        in->ref = heap_alloc(m, in->capacity);
    return in->ref != 0;
}

enum receive receive_filled(struct predictor *p, struct mutator *m,
                            struct input *in, uint32_t n)
{
    enum receive r = n ? RECEIVE_BYTES : RECEIVE_NONE;
    predictor_told(p, n);
    in->len = n;
    if (r == RECEIVE_BYTES &&
        !heap_garbage(m, BODY_READ_GARBAGE - BODY_READ_BEFORE))
        r = RECEIVE_OOM;
    if (r != RECEIVE_BYTES) {
        heap_release(m, in->ref);
        *in = (struct input){0};
    }
    return r;
}

enum receive receive_read(int fd, struct predictor *p, struct mutator *m,
                          struct input *in)
{
    uint32_t n;
    if (!receive_buffer(p, m, in))
        return RECEIVE_OOM;
    /* Managed meanwhile: a collection waits for this one call. */
    ssize_t got = recv(fd, heap_ptr(m, in->ref), p->attempted, MSG_DONTWAIT);
    enum receive r = judge(got, errno, &n);
    enum receive filled = receive_filled(p, m, in, n);
    return r == RECEIVE_BYTES ? filled : r;
}

enum receive receive_native(int fd, char *buf, uint32_t size, struct input *in)
{
    *in = (struct input){.native = buf};
    ssize_t got = recv(fd, buf, size, MSG_DONTWAIT);
    return judge(got, errno, &in->len);
}
