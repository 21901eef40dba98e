#include "tests/unit/controller/papers.h"

#include <stdlib.h>
#include <time.h>

#include "tests/lib/check.h"

static int64_t from_now(int s)
{
    return (int64_t)time(NULL) + s;
}

void papers_init(struct papers *papers)
{
    static const char *const names[] = {"agents-ca", "controllers-ca"};
    struct why why = {0};
    for (int r = CA_AGENT; r <= CA_CONTROLLER; r++) {
        const struct ca_wish wish = {.name = names[r],
                                     .authority = true,
                                     .role = (enum ca_role)r,
                                     .from_s = from_now(-86400),
                                     .until_s = from_now(86400)};
        check_ok(ca_make(&papers->authority[r], &wish, NULL, &why), why);
    }
}

struct creds papers_issue(const struct papers *papers, const char *name,
                          enum ca_role role, int from_s, int until_s)
{
    struct ca_pair pair;
    struct why why = {0};
    const struct ca_wish wish = {.name = name,
                                 .role = role,
                                 .from_s = from_now(from_s),
                                 .until_s = from_now(until_s)};
    enum ca_role other = role == CA_AGENT ? CA_CONTROLLER : CA_AGENT;
    check_ok(ca_make(&pair, &wish, &papers->authority[role], &why), why);
    struct creds creds = {.ca = strdup(papers->authority[other].cert),
                          .cert = strdup(pair.cert),
                          .key = strdup(pair.key)};
    check_ok(cert_read(&creds.own, creds.cert, &why), why);
    return creds;
}
