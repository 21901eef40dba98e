#include "controller/serve_reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "results/page.h"
#include "results/page_list.h"
#include "results/page_pair.h"

static char *checked(char *text)
{
    if (!text)
        abort();
    return text;
}

void serve_reply_plain(unsigned status, const char *text,
                       struct serve_reply *out)
{
    *out = (struct serve_reply){.status = status,
                                .type = "text/plain; charset=utf-8",
                                .body = checked(strdup(text))};
}

static enum err progress(struct store *store, int64_t experiment, char **body,
                         struct why *why)
{
    struct answer_counts counts = {0};
    char state[32];
    enum err e = answer_state(store, experiment, state, sizeof state, why);
    if (!e)
        e = answer_counts(store, experiment, &counts, why);
    if (e)
        return e;
    struct jv *root = jv_new(JV_OBJECT);
    jv_add_text(root, "state", state);
    jv_add_u64(root, "trials", counts.trials);
    jv_add_u64(root, "ok", counts.ok);
    jv_add_u64(root, "oom", counts.oom);
    jv_add_u64(root, "failed", counts.failed);
    jv_add_u64(root, "aborted", counts.aborted);
    jv_add_u64(root, "invalid", counts.invalid);
    *body = jv_print(root, false);
    jv_free(root);
    return ERR_OK;
}

static enum err cells(struct store *store, const struct serve_ask *ask,
                      char **body, struct why *why)
{
    size_t places[2] = {0, 1};
    if ((ask->a && !serve_route_place(ask->a, &places[0])) ||
        (ask->b && !serve_route_place(ask->b, &places[1])))
        return err_set(why, ERR_USAGE, "a and b are numbers of cells, from 0");
    return page_pair(store, ask->route.experiment, places, body, why);
}

static enum err make(struct store *store, const struct serve_ask *ask,
                     struct serve_reply *out, struct why *why)
{
    const struct page_options options = {.report = ask->report, .live = true};
    switch (ask->route.page) {
    case SERVE_LIST:
        return page_list(store, &out->body, why);
    case SERVE_EXPERIMENT:
        return page_report(store, ask->route.experiment, &options, &out->body,
                           why);
    case SERVE_PROGRESS:
        out->type = "application/json";
        return progress(store, ask->route.experiment, &out->body, why);
    case SERVE_CELLS:
        return cells(store, ask, &out->body, why);
    case SERVE_NONE:
        break;
    }
    return err_set(why, ERR_NOTFOUND, "there is no such page");
}

void serve_reply(const char *db, const struct serve_ask *ask,
                 struct serve_reply *out)
{
    struct why why = {""};
    struct store *store = NULL;
    *out =
        (struct serve_reply){.status = 200, .type = "text/html; charset=utf-8"};
    enum err e = store_open(&store, db, STORE_READ, &why);
    bool opened = !e;
    if (!e)
        e = make(store, ask, out, &why);
    store_close(store);
    if (e) {
        free(out->body);
        serve_reply_plain(opened && e == ERR_NOTFOUND ? 404
                          : opened && e == ERR_USAGE  ? 400
                                                      : 500,
                          why.text, out);
    }
}
