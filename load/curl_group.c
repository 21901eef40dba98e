/* Requests are begun many at a time, at the beginning of a wait, and so are
 * their sends: a server that is faster than libcurl then works through them
 * without falling asleep, for to wake it costs as much as to send.
 *
 * A transfer may end within any call: what ended is looked for after each. And
 * timers of 0 ms are served at once, not through the loop. */
#include "load/curl_group.h"

#include <netinet/in.h>
#include <stdlib.h>

#include "common/clock.h"
#include "load/curl_sock.h"
#include "load/epoll.h"

/* When a handle is taken from its multi, libcurl (before 8.11) looks through
 * all connections of that multi, and keeps them in a table of its own size. */
#define GROUP_LANES 16
#define EVENTS_MAX  64
/* In a row; those of more wait for the next turn. */
#define TIMERS_MAX 8

/* Of such addresses the scope is part, and cannot tell lanes apart. */
static uint32_t link_local_scope(const struct engine *engine)
{
    const struct sockaddr_in6 *to =
        (const struct sockaddr_in6 *)&engine->config.address->sockaddr;
    return to->sin6_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&to->sin6_addr)
               ? to->sin6_scope_id
               : 0;
}

static int set_timer(CURLM *multi, long ms, void *ctx)
{
    (void)multi;
    struct curl_group *g = ctx;
    g->timer_ns = ms < 0   ? UINT64_MAX
                  : ms > 0 ? clock_mono_ns() + (uint64_t)ms * NS_PER_MS
                           : 0;
    return 0;
}

static bool group_init(struct curl_group *g, struct engine *engine, long lanes)
{
    g->timer_ns = UINT64_MAX;
    g->multi = curl_multi_init();
    return g->multi && curl_sock_set_multi(engine, g->multi) &&
           !curl_multi_setopt(g->multi, CURLMOPT_MAXCONNECTS, 2 * lanes) &&
           !curl_multi_setopt(g->multi, CURLMOPT_TIMERFUNCTION, set_timer) &&
           !curl_multi_setopt(g->multi, CURLMOPT_TIMERDATA, g);
}

enum err curl_group_open(struct engine *engine, struct why *why)
{
    uint32_t n_lanes = engine->config.n_lanes;
    uint32_t scope = link_local_scope(engine), each = scope ? 1 : GROUP_LANES;
    bool good = true;
    engine->groups = calloc(n_lanes / each + 1, sizeof *engine->groups);
    if (!engine->groups)
        return err_set(why, ERR_NOMEM, "connections: out of memory");
    engine->n_groups = (n_lanes + each - 1) / each;
    for (uint32_t i = 0; good && i < engine->n_groups; i++)
        good = group_init(&engine->groups[i], engine, each);
    for (uint32_t i = 0; good && i < n_lanes; i++) {
        struct curl_lane *l = &engine->lanes[i];
        l->group = &engine->groups[i / each];
        good = !curl_easy_setopt(l->easy, CURLOPT_ADDRESS_SCOPE,
                                 scope ? (long)scope : (long)i + 1);
    }
    return good ? ERR_OK
                : err_set(why, ERR_NOMEM, "connections: out of memory");
}

void curl_group_close(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->n_groups; i++)
        if (engine->groups[i].multi)
            (void)curl_multi_cleanup(engine->groups[i].multi);
    free(engine->groups);
}

/* Whether any transfer ended. */
static bool take_ended(struct curl_group *g)
{
    bool any = false;
    int left;
    const CURLMsg *msg;
    while ((msg = curl_multi_info_read(g->multi, &left))) {
        char *lane = NULL;
        if (msg->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &lane);
        curl_lane_over((struct curl_lane *)(void *)lane, msg->data.result);
        any = true;
    }
    return any;
}

/* A socket is ready, or a time has come (fd CURL_SOCKET_TIMEOUT). */
static bool act(struct engine *engine, struct curl_group *g, int fd, int what)
{
    bool any = false;
    int running;
    for (int i = 0; i < TIMERS_MAX; i++) {
        if (fd == CURL_SOCKET_TIMEOUT)
            g->timer_ns = UINT64_MAX;
        engine->calls++;
        (void)curl_multi_socket_action(g->multi, fd, what, &running);
        any = take_ended(g) || any;
        if (g->timer_ns)
            break;
        fd = CURL_SOCKET_TIMEOUT;
        what = 0;
    }
    return any;
}

uint64_t curl_group_wait(struct engine *engine, uint64_t now_ns,
                         uint64_t until_ns, bool busy)
{
    struct epoll_event events[EVENTS_MAX];
    for (uint32_t i = 0; i < engine->n_groups; i++)
        if (engine->groups[i].timer_ns <= now_ns)
            busy =
                act(engine, &engine->groups[i], CURL_SOCKET_TIMEOUT, 0) || busy;
    for (uint32_t i = 0; i < engine->n_groups; i++)
        if (engine->groups[i].timer_ns < until_ns)
            until_ns = engine->groups[i].timer_ns;
    uint64_t left_ns = until_ns > now_ns && !busy ? until_ns - now_ns : 0;
    int n = epoll_await(engine->epoll_fd, events, EVENTS_MAX, left_ns);
    uint64_t woke_ns = clock_mono_ns();
    for (int i = 0; i < n; i++) {
        struct curl_lane *l;
        int fd, what = curl_sock_event(engine, &events[i], &l, &fd);
        if (what)
            (void)act(engine, l->group, fd, what);
    }
    return woke_ns;
}
