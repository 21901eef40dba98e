/* Anything as an experiment file: refused with a text that names the file, or
 * read; and what was read, written and read again is the same. */
#include <stdlib.h>
#include <string.h>

#include "controller/experiment_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum err read_text(struct experiment *ex, const char *text, size_t size)
{
    struct why why = {""};
    struct jv *doc = NULL;
    enum err e = jv_parse(&doc, "f.json", text, size, &why);
    experiment_init(ex);
    if (!e)
        e = experiment_file_read(ex, doc, "f.json", &why);
    if (!e)
        e = experiment_file_conditions(ex, doc, &why);
    if (e && strncmp(why.text, "f.json:", 7) != 0)
        abort();
    jv_free(doc);
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct experiment *ex = malloc(2 * sizeof *ex);
    if (!ex || read_text(&ex[0], (const char *)data, size))
        goto out;
    char *text = experiment_file_print(&ex[0]);
    if (read_text(&ex[1], text, strlen(text)))
        abort();
    ex[0].has_seed = true; /* a drawn one is written down too */
    if (memcmp(&ex[0], &ex[1], sizeof *ex) != 0)
        abort();
    free(text);
out:
    free(ex);
    return 0;
}
