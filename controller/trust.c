#include "controller/trust.h"

enum err trust_load(struct trust *out, const char *folder,
                    const struct tls_files *file, struct why *why)
{
    struct tls_files files;
    enum err e = ERR_OK;
    *out = (struct trust){.creds = {.ca = NULL}};
    if (folder)
        e = tls_files_folder(&files, folder, why);
    else if (file && file->key[0])
        files = *file;
    else
        return ERR_OK;
    if (!e)
        e = creds_load(&out->creds, &files, false, why);
    return e;
}

const struct creds *trust_creds(const struct trust *trust)
{
    return trust->creds.key ? &trust->creds : NULL;
}

void trust_free(struct trust *trust)
{
    creds_free(&trust->creds);
}
