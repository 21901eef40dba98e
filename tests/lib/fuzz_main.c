/* A fuzz target's main where the compiler has no libFuzzer: every file of the
 * seed corpus as it is, then N deterministic mutations of each (cut, flip,
 * insert, duplicate), so that CI runs the targets anywhere.
 *
 *   fuzz_x [-n MUTATIONS] [-s SEED] CORPUS_FILE_OR_DIR... */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/rand.h"

#define INPUT_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t mutate(struct rand *r, uint8_t *buf, size_t len, size_t cap)
{
    uint64_t edits = 1 + rand_bounded(r, 4);
    for (uint64_t i = 0; i < edits; i++) {
        size_t at = len ? (size_t)rand_bounded(r, len) : 0;
        switch (rand_bounded(r, 5)) {
        case 0: /* cut */
            len = at;
            break;
        case 1: /* flip a bit */
            if (len)
                buf[at] ^= (uint8_t)(1u << rand_bounded(r, 8));
            break;
        case 2: /* overwrite with an edge value */
            if (len)
                buf[at] = (uint8_t)("\x00\x7f\x80\xff"[rand_bounded(r, 4)]);
            break;
        case 3: /* insert a byte */
            if (len < cap) {
                memmove(buf + at + 1, buf + at, len - at);
                buf[at] = (uint8_t)rand_next(r);
                len++;
            }
            break;
        default: { /* repeat a piece */
            size_t n = len - at < 64 ? len - at : 64;
            if (len + n <= cap) {
                memmove(buf + at + n, buf + at, len - at);
                len += n;
            }
        }
        }
    }
    return len;
}

/* Exactly sized heap copy, so that the address sanitizer sees overreads. */
static void one(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    if (!copy)
        abort();
    if (len)
        memcpy(copy, data, len);
    (void)LLVMFuzzerTestOneInput(copy, len);
    free(copy);
}

static uint64_t run_file(const char *path, uint64_t mutations, uint64_t seed)
{
    static uint8_t original[INPUT_MAX], work[INPUT_MAX];
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    size_t len = fread(original, 1, sizeof original, f);
    (void)fclose(f);
    one(original, len);
    struct rand r = {seed + len};
    for (uint64_t i = 0; i < mutations; i++) {
        memcpy(work, original, len);
        one(work, mutate(&r, work, len, sizeof work));
    }
    return 1 + mutations;
}

static uint64_t run_path(const char *path, uint64_t mutations, uint64_t seed)
{
    struct stat st;
    if (stat(path, &st)) {
        perror(path);
        exit(1);
    }
    if (!S_ISDIR(st.st_mode))
        return run_file(path, mutations, seed);
    struct dirent **names = NULL;
    int n = scandir(path, &names, NULL, alphasort);
    uint64_t runs = 0;
    for (int i = 0; i < n; i++) {
        char file[4096];
        (void)snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            runs += run_file(file, mutations, seed);
        free(names[i]);
    }
    free(names);
    return runs;
}

int main(int argc, char **argv)
{
    uint64_t mutations = 2000, seed = 1, runs = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n") && i + 1 < argc)
            mutations = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10);
        else
            runs += run_path(argv[i], mutations, seed);
    }
    (void)printf("%llu inputs\n", (unsigned long long)runs);
    return runs ? 0 : 1;
}
