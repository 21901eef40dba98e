#include "common/tls_files.h"

#include <stdio.h>
#include <string.h>

#include "common/json_place.h"

static const char *const names[] = {"ca.pem", "cert.pem", "key.pem"};

enum err tls_files_folder(struct tls_files *out, const char *folder,
                          struct why *why)
{
    char *const to[] = {out->ca, out->cert, out->key};
    for (int i = 0; i < 3; i++) {
        int n = snprintf(to[i], PATH_MAX, "%s/%s", folder, names[i]);
        if (n < 0 || n >= PATH_MAX)
            return err_set(why, ERR_RANGE, "\"%.60s...\": too long", folder);
    }
    return ERR_OK;
}

static enum err refuse(const struct jv *v, const char *accepted,
                       struct why *why)
{
    char where[300];
    return err_set(why, ERR_INVALID, "%s: accepted is %s",
                   jv_where(v, where, sizeof where), accepted);
}

/* A path, made whole by folder. */
static enum err read_path(const struct jv *v, const char *folder,
                          char out[PATH_MAX], struct why *why)
{
    const char *text = jv_text(v, "");
    bool whole = text[0] == '/' || !folder[0];
    int n = snprintf(out, PATH_MAX, "%s%s%s", whole ? "" : folder,
                     whole ? "" : "/", text);
    return text[0] && n > 0 && n < PATH_MAX ? ERR_OK : refuse(v, "a path", why);
}

enum err tls_files_read(struct tls_files *out, const struct jv *v,
                        const char *folder, struct why *why)
{
    static const char *const keys[] = {"ca", "cert", "key", NULL};
    char *const to[] = {out->ca, out->cert, out->key};
    char path[PATH_MAX];
    if (!v)
        return ERR_OK;
    if (jv_type(v) == JV_STRING) {
        enum err e = read_path(v, folder, path, why);
        return e ? e : tls_files_folder(out, path, why);
    }
    if (jv_type(v) != JV_OBJECT)
        return refuse(v, "a folder, or an object of ca, cert and key", why);
    enum err e = jv_only(v, keys, why);
    for (int i = 0; !e && i < 3; i++)
        e = jv_get(v, keys[i])
                ? read_path(jv_get(v, keys[i]), folder, to[i], why)
                : refuse(v, "an object with all of ca, cert and key", why);
    return e;
}
