#include "load/origin.h"

#include "common/json_build.h"
#include "common/units.h"

const char *origin_provider(const struct job *job)
{
    return job->options->few ? "static" : "file";
}

bool origin_corpus(const struct job *job, size_t i, struct origin_corpus *out)
{
    const struct plan_corpus *corpus = &job->plan->corpora[i];
    *out = (struct origin_corpus){.name = corpus->name};
    if (!job->corpora.files ||
        corpora_sha256(&job->corpora, i, out->sha256, NULL) || !*out->sha256)
        return false;
    for (size_t d = 0; d < corpus->n_documents; d++) {
        out->docs += corpora_file(&job->corpora, i, d)->docs;
        out->bytes += corpora_file(&job->corpora, i, d)->bytes;
    }
    return true;
}

void origin_print(FILE *to, const struct job *job)
{
    struct origin_corpus c;
    char bytes[24];
    for (size_t i = 0; job->plan && i < job->plan->n_corpora; i++)
        if (origin_corpus(job, i, &c))
            (void)fprintf(to, "corpus %s: %llu documents, %s, sha256 %.12s\n",
                          c.name, (unsigned long long)c.docs,
                          units_show_size(bytes, sizeof bytes, (double)c.bytes),
                          c.sha256);
    if (job->plan && job->options->few)
        (void)fprintf(to, "--provider static: the same few bodies again and "
                          "again: no result of a target that indexes\n");
}

void origin_add(struct jv *root, const struct job *job)
{
    struct origin_corpus c;
    if (!job->plan)
        return;
    jv_add_text(root, "provider", origin_provider(job));
    struct jv *list = jv_add(root, "corpora", JV_ARRAY);
    for (size_t i = 0; i < job->plan->n_corpora; i++) {
        if (!origin_corpus(job, i, &c))
            continue;
        struct jv *v = jv_add(list, NULL, JV_OBJECT);
        jv_add_text(v, "name", c.name);
        jv_add_u64(v, "docs", c.docs);
        jv_add_u64(v, "bytes", c.bytes);
        jv_add_text(v, "sha256", c.sha256);
    }
}
