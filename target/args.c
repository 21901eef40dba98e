#include "target/args.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define KEY_CHILD 0x100
#define KEY_USAGE 0x101
#define KEY_FIRST 0x102 /* and following: settings by name */

/* clang-format off */
static const struct argp_option options[] = {
    {0, 0, 0, 0, "Serving:", 1},
    {"listen", KEY_FIRST, "ADDRESS:PORT", 0,
     "Where to listen (127.0.0.1:9200); port 0 takes a free one", 0},
    {"threads", KEY_FIRST + 1, "N", 0,
     "Event loops, each with its share of the connections (CPUs)", 0},
    {"mode", KEY_FIRST + 2, "ingest|static", 0,
     "static answers every request at once with the same body, having thrown "
     "the request's away: the ceiling of a driver (ingest)", 0},
    {"static-bytes", KEY_FIRST + 3, "N", 0,
     "Length of the static mode's body (64)", 0},
    {"stall", KEY_FIRST + 24, "TIME/PERIOD", 0,
     "Serve nobody for the last TIME of each PERIOD, such as 1s/10s: what a "
     "driver that waits for answers would not see (0)", 0},
    {"slow", KEY_FIRST + 25, "TIME|SHARE", 0,
     "Take so much longer for each bulk, on its thread; or, as 3%, let each "
     "event loop and bulk thread keep a CPU for that share of the CPU time "
     "that it worked, as a build would that is slower by so much (0)", 0},
    {0, 0, 0, 0, "Heap:", 2},
    {"heap", KEY_FIRST + 4, "SIZE", 0,
     "The heap, a hard budget; a request that it cannot hold ends the process "
     "with its statistics and exit 12 (1g)", 0},
    {"young", KEY_FIRST + 5, "SIZE", 0,
     "Of it, the young generation (a third)", 0},
    {"min-tlab", KEY_FIRST + 6, "SIZE", 0,
     "Smallest thread-local allocation buffer (2k)", 0},
    {"pretouch", KEY_FIRST + 17, "young|all", 0,
     "Memory that is touched before serving: all costs a start of seconds on "
     "some virtual machines, young leaves old to its first promotions (young)",
     0},
    {0, 0, 0, 0, "Receiving:", 3},
    {"predictor", KEY_FIRST + 7, "SPEC", 0,
     "Size of each receive buffer: fixed:SIZE, adaptive:MIN-MAX or "
     "adaptive:MIN-INITIAL-MAX (fixed:64k)", 0},
    {"netty-rules", KEY_FIRST + 8, "4.1.7|4.1.48", 0,
     "Whose adaptive rules (4.1.48)", 0},
    {"reads-per-wakeup", KEY_FIRST + 9, "1|16", 0,
     "Reads of one connection before the next has its turn: 1 as Elasticsearch "
     "does, 16 as plain Netty (1)", 0},
    {"initial-buffer", KEY_FIRST + 10, "CHARS", 0,
     "Of a connection's header decoder, which doubles it as needed (128)", 0},
    {"max-components", KEY_FIRST + 11, "N", 0,
     "Slices of a body before they are copied into one array (1024)", 0},
    {"body-copy", KEY_FIRST + 12, "on|off", 0,
     "Copy every complete body into one array, as Elasticsearch 5 and 6 do "
     "(off)", 0},
    {0, 0, 0, 0, "Indexing:", 4},
    {"index", KEY_FIRST + 13, "fts|none", 0,
     "fts keeps documents and makes them searchable, by SQLite's FTS5; none "
     "parses and counts documents and forgets them (none)",
     0},
    {"shards", KEY_FIRST + 21, "N", 0,
     "Shards of an index whose creation does not say (5)", 0},
    {"durability", KEY_FIRST + 23, "request|async", 0,
     "When a bulk is on the disk: request, before it is answered, as "
     "Elasticsearch's translog has it by default; async, at the next flush "
     "(async)",
     0},
    {"native-limit", KEY_FIRST + 22, "SIZE", 0,
     "Most memory that the index may take outside the heap: a bulk that needs "
     "more is refused whole with 429; 0 is no limit (0)",
     0},
    {"bulk-threads", KEY_FIRST + 14, "N", 0,
     "Threads that process bulk requests (CPUs)", 0},
    {"bulk-queue", KEY_FIRST + 15, "N", 0,
     "Bulk requests that may wait for them before one is refused with 429 "
     "(200)", 0},
    {"parse-work", KEY_FIRST + 20, "N", 0,
     "Leave a parser's garbage on the heap: a copy of every line and a string "
     "for each 64 N bytes of it; 0 reads the lines where they are (0)", 0},
    {"data", KEY_FIRST + 16, "DIR", 0,
     "Keep the indices there, and find those of an earlier start; without it "
     "they live in a new folder of $TMPDIR that is removed at the end; --index "
     "none writes nothing there",
     0},
    {0, 0, 0, 0, "Logs:", 5},
    {"gc-log", KEY_FIRST + 18, "FILE", 0,
     "Log of collections in the lines of OpenJDK's unified logging", 0},
    {"alloc-log", KEY_FIRST + 19, "FILE", 0,
     "One line per new allocation buffer and per allocation outside: seconds, "
     "thread, tlab|outside, object and buffer bytes",
     0},
    {0, 0, 0, 0, "Other:", -1},
    {"child", KEY_CHILD, 0, 0,
     "Be an agent's child: control on descriptor 3, statistics on 4", 0},
    {"help", 'h', 0, 0, "Print this help", 0},
    {"usage", KEY_USAGE, 0, 0, "Print a short usage message", 0},
    {"version", 'V', 0, 0, "Print the version", 0},
    {0}};
/* clang-format on */

struct parsing {
    struct settings *settings;
    struct why *why;
    enum err e;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct parsing *p = state->input;
    if (key == ARGP_KEY_ARG) {
        p->e = err_set(p->why, ERR_USAGE,
                       "\"%s\": there are only options, see --help", arg);
        return EINVAL;
    }
    if (key == 'h')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    if (key == KEY_USAGE)
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
    if (key == 'V') {
        (void)printf("pitwall-target %s\n", PITWALL_VERSION);
        exit(0);
    }
    if (key == KEY_CHILD) {
        p->settings->child = true;
        return 0;
    }
    for (const struct argp_option *o = options; o->name || o->key || o->doc;
         o++)
        if (o->name && o->key == key) {
            p->e = settings_set(p->settings, o->name, arg, p->why);
            return p->e ? EINVAL : 0;
        }
    return ARGP_ERR_UNKNOWN;
}

enum err args_parse(struct settings *settings, int argc, char **argv,
                    struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "An ingest server under test: a managed heap, receive-buffer "
               "predictors, HTTP/1.1 and bulk requests as Elasticsearch takes "
               "them.\vSizes are written 64k, 2g, 512. The final statistics "
               "are printed as JSON on standard output when it is ended by "
               "SIGTERM or SIGINT. Exit: 0 done, 1 failed, 2 usage, 12 out of "
               "its heap."};
    struct parsing p = {settings, why, ERR_OK};
    settings_default(settings);
    argp_err_exit_status = 2;
    /* argp's own --help would be -?, which a shell may expand. */
    error_t failed = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &p);
    if (p.e)
        return p.e;
    if (failed)
        return err_set(why, ERR_USAGE, "see --help");
    return settings_check(settings, why);
}
