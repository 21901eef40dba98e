#include "load/options_http.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/base64.h"

#define USER_MAX 512

static enum err header(struct options *o, const char *text, struct why *why)
{
    size_t at = strlen(o->headers), name = strcspn(text, ":");
    bool good = name && text[name] == ':';
    for (size_t i = 0; i < name; i++)
        good = good && (isalnum((unsigned char)text[i]) ||
                        strchr("!#$%&'*+-.^_`|~", text[i]));
    for (const char *c = text; *c; c++)
        good = good && (*c == '\t' || !iscntrl((unsigned char)*c));
    if (!good)
        return err_set(why, ERR_USAGE,
                       "--header \"%s\": accepted: \"NAME: VALUE\"", text);
    int n = snprintf(o->headers + at, sizeof o->headers - at, "%s\r\n", text);
    if (n < 0 || (size_t)n >= sizeof o->headers - at)
        return err_set(why, ERR_USAGE,
                       "--header: all of them together exceed %zu bytes",
                       sizeof o->headers - 1);
    return ERR_OK;
}

static enum err method(struct options *o, const char *text, struct why *why)
{
    size_t len = strlen(text);
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c))
            len = 0;
    if (!len || len > 16)
        return err_set(why, ERR_USAGE, "--method \"%s\": accepted: letters",
                       text);
    o->method = text;
    return ERR_OK;
}

static enum err engine(struct options *o, const char *text, struct why *why)
{
    o->engine = !strcmp(text, "curl") ? ENGINE_CURL : ENGINE_RAW;
    if (o->engine == ENGINE_RAW && strcmp(text, "raw") != 0)
        return err_set(why, ERR_USAGE, "--engine \"%s\": accepted: raw, curl",
                       text);
    return ERR_OK;
}

static enum err proxy(struct options *o, const char *text, struct why *why)
{
    o->http.proxy = text;
    if (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0 &&
        strncmp(text, "socks5h://", 10) != 0)
        return err_set(why, ERR_USAGE,
                       "--proxy: accepted: http[s]://[USER:PASSWORD@]HOST:PORT"
                       ", socks5h://HOST:PORT");
    return ERR_OK;
}

/* A header like any other, so that both engines know it. */
static enum err user(struct options *o, char *text, struct why *why)
{
    char line[32 + BASE64_BYTES(USER_MAX)] = "Authorization: Basic ";
    size_t len = strlen(text);
    bool good = strchr(text, ':') && len <= USER_MAX;
    if (good)
        base64_write(line + strlen(line), text, len);
    memset(text, 'x', len);
    if (!good)
        return err_set(why, ERR_USAGE,
                       "--user: accepted: NAME:PASSWORD, up to %d bytes",
                       USER_MAX);
    return header(o, line, why);
}

bool options_http_set(struct options *o, int key, char *arg, enum err *e,
                      struct why *why)
{
    switch (key) {
    case 'H':
        *e = header(o, arg, why);
        return true;
    case 'X':
        *e = method(o, arg, why);
        return true;
    case 'u':
        *e = user(o, arg, why);
        return true;
    case 'k':
        o->http.insecure = true;
        return true;
    case KEY_ENGINE:
        *e = engine(o, arg, why);
        return true;
    case KEY_CACERT:
        o->http.ca_file = arg;
        return true;
    case KEY_HTTP2:
        o->http.http2 = true;
        return true;
    case KEY_PROXY:
        *e = proxy(o, arg, why);
        return true;
    default:
        return false;
    }
}
