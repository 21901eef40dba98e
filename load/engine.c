#include "load/engine.h"

const struct address *engine_address(const struct engine_config *config,
                                     uint32_t lane)
{
    uint64_t number = config->lane_first + (uint64_t)lane * config->lane_step;
    size_t i = number % (config->n_others + 1);
    return i ? &config->others[i - 1] : config->address;
}

enum err engine_pick(const struct engine_ops **out, enum engine_choice choice,
                     const struct address *address,
                     const struct engine_http *http, struct why *why)
{
    const char *needs = address->tls  ? "an https:// URL"
                        : http->http2 ? "--http2"
                        : http->proxy ? "--proxy"
                                      : NULL;
    if (choice == ENGINE_RAW && needs)
        return err_set(why, ERR_USAGE,
                       "--engine raw: speaks plain HTTP/1.1 alone, and %s "
                       "needs --engine curl",
                       needs);
    if (!address->tls && (http->ca_file || http->insecure))
        return err_set(why, ERR_USAGE, "%s: only with an https:// URL",
                       http->ca_file ? "--cacert" : "--insecure");
    *out = needs || choice == ENGINE_CURL ? &engine_curl : &engine_raw;
    return ERR_OK;
}
