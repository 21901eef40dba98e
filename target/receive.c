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

enum receive receive_read(int fd, struct predictor *p, struct mutator *m,
                          struct input *in)
{
    uint32_t size = predictor_guess(p);
    *in = (struct input){.ref = heap_alloc(m, size)};
    if (!in->ref)
        return RECEIVE_OOM;
    /* Managed meanwhile: a collection waits for this one call. */
    ssize_t got = recv(fd, heap_ptr(m, in->ref), size, MSG_DONTWAIT);
    enum receive r = judge(got, errno, &in->len);
    predictor_told(p, in->len);
    if (r == RECEIVE_BYTES && !heap_garbage(m, BODY_READ_GARBAGE))
        r = RECEIVE_OOM;
    if (r != RECEIVE_BYTES) {
        heap_release(m, in->ref);
        *in = (struct input){0};
    }
    return r;
}

enum receive receive_native(int fd, char *buf, uint32_t size, struct input *in)
{
    *in = (struct input){.native = buf};
    ssize_t got = recv(fd, buf, size, MSG_DONTWAIT);
    return judge(got, errno, &in->len);
}
