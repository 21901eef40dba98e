#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "load/cache.h"
#include "tests/lib/check.h"
#include "tests/unit/load/folder.h"

static const struct plan_documents generated = {
    .generator = "http_logs", .index = "logs", .docs = 1000, .seed = 1};

struct cached {
    char dir[64];
    struct cache_config config;
    unsigned made, stop_after; /* how often that was told; 0: never */
    unsigned told[4];          /* of each stage */
    int part; /* held locked by the test, as by a maker that is slow; 0: none */
    unsigned asked;
};

static void told(void *ctx, const struct corpus_news *news)
{
    struct cached *c = ctx;
    assert_true(news->done <= news->of || news->stage == CORPUS_WAITS);
    c->told[news->stage]++;
    c->made += news->stage == CORPUS_MAKES;
}

static bool stopped(void *ctx)
{
    const struct cached *c = ctx;
    return c->stop_after && c->made >= c->stop_after;
}

static void cached_init(struct cached *c)
{
    *c = (struct cached){0};
    folder_make(c->dir);
    c->config = (struct cache_config){.dir = c->dir,
                                      .limit_bytes = 1 << 30,
                                      .told = told,
                                      .stopped = stopped,
                                      .ctx = c};
}

/* Files in the cache's folder. */
static unsigned files(const struct cached *c)
{
    char path[80];
    unsigned n = 0;
    (void)snprintf(path, sizeof path, "%s/corpora", c->dir);
    DIR *dir = opendir(path);
    const struct dirent *d;
    while (dir && (d = readdir(dir)))
        n += *d->d_name != '.';
    if (dir)
        closedir(dir);
    return n;
}

static void cache_get_makes_a_corpus_once(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    cached_init(&c);
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    assert_true(c.made > 0);
    assert_int_equal(f->docs, 1000);
    static const char begin[] = "{\"index\":{\"_index\":\"logs\"}}\n"
                                "{\"@timestamp\": 893964617, ";
    assert_memory_equal(f->data, begin, sizeof begin - 1);
    assert_int_equal(f->data[f->bytes - 1], '\n');
    bulk_file_close(f);
    c.made = 0;
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    assert_int_equal(c.made, 0);
    bulk_file_close(f);
    assert_int_equal(files(&c), 1);
    folder_remove(c.dir);
}

static void cache_get_tells_corpora_apart(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f[6];
    struct why why = {0};
    struct plan_documents d[6];
    cached_init(&c);
    for (int i = 0; i < 6; i++)
        d[i] = generated;
    d[1].docs = 999;
    d[2].seed = 2;
    d[3].index = "other";
    d[4].generator = "geonames";
    d[5].create = true;
    for (int i = 0; i < 6; i++) {
        check_ok(cache_get(&f[i], &c.config, &d[i], &why), why);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(f[i]->sha256, f[k]->sha256);
    }
    for (int i = 0; i < 6; i++)
        bulk_file_close(f[i]);
    assert_int_equal(files(&c), 6);
    folder_remove(c.dir);
}

static const char *write_text(const struct cached *c, char path[80],
                              const char *text)
{
    (void)snprintf(path, 80, "%s/docs.json", c->dir);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
    return path;
}

static void cache_get_takes_a_users_file(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    char path[80];
    cached_init(&c);
    struct plan_documents d = {
        .file = write_text(&c, path, "{\"a\":1}\n{\"b\":2}\n{\"c\":3}"),
        .index = "x",
        .docs = 3};
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    static const char bulk[] = "{\"index\":{\"_index\":\"x\"}}\n{\"a\":1}\n"
                               "{\"index\":{\"_index\":\"x\"}}\n{\"b\":2}\n"
                               "{\"index\":{\"_index\":\"x\"}}\n{\"c\":3}\n";
    assert_int_equal(f->bytes, sizeof bulk - 1);
    assert_memory_equal(f->data, bulk, sizeof bulk - 1);
    bulk_file_close(f);
    /* what lies behind the documents is no part of it, what is in them is */
    c.made = 0;
    d.docs = 2;
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    bulk_file_close(f);
    assert_true(c.made > 0);
    c.made = 0;
    (void)write_text(&c, path, "{\"a\":1}\n{\"b\":2}\n{\"d\":4}\n{}\n");
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    bulk_file_close(f);
    assert_int_equal(c.made, 0);
    (void)write_text(&c, path, "{\"a\":1}\n{\"b\":3}\n");
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    bulk_file_close(f);
    assert_true(c.made > 0);
    folder_remove(c.dir);
}

#define LINES_MANY 5120

/* 20 MiB: told after each of five pieces of 4 MiB. */
static const char *write_lines(const struct cached *c, char path[80])
{
    static char line[4097];
    (void)snprintf(path, 80, "%s/docs.json", c->dir);
    FILE *to = fopen(path, "w");
    memset(line, ' ', 4096);
    memcpy(line, "{\"a\":1", 6);
    memcpy(line + 4094, "}\n", 2);
    for (int i = 0; i < LINES_MANY; i++)
        assert_int_equal(fwrite(line, 1, 4096, to), 4096);
    assert_int_equal(fclose(to), 0);
    return path;
}

static void cache_get_tells_while_it_reads_and_checks(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    char path[80];
    cached_init(&c);
    const struct plan_documents d = {
        .file = write_lines(&c, path), .index = "x", .docs = LINES_MANY};
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    bulk_file_close(f);
    /* its lines, its SHA-256, its lines again: 3 * 5 */
    assert_int_equal(c.told[CORPUS_READS], 15);
    assert_true(c.told[CORPUS_MAKES] >= 5);
    /* 20 MiB and 5120 action lines of 25 bytes */
    assert_int_equal(c.told[CORPUS_CHECKS], 6);
    assert_int_equal(c.told[CORPUS_WAITS], 0);
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    bulk_file_close(f);
    assert_int_equal(c.told[CORPUS_READS], 25);
    assert_int_equal(c.told[CORPUS_CHECKS], 12);
    folder_remove(c.dir);
}

/* Asked every 20 ms whether to go on: what the slow maker does meanwhile. */
static bool slow_maker(void *ctx)
{
    struct cached *c = ctx;
    char name[160];
    if (!c->part)
        return false;
    c->asked++;
    if (c->asked == 3 || c->asked == 6)
        assert_int_equal(write(c->part, "more", 4), 4);
    if (c->asked < 9)
        return false;
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", c->part);
    char path[160];
    ssize_t n = readlink(name, path, sizeof path - 1);
    assert_true(n > 0);
    path[n] = 0;
    assert_int_equal(unlink(path), 0); /* it gives up */
    assert_int_equal(close(c->part), 0);
    c->part = 0;
    return false;
}

static void cache_get_tells_of_another_maker_while_that_gets_on(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    char folder[80], path[160], part[170];
    cached_init(&c);
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    bulk_file_close(f);
    (void)snprintf(folder, sizeof folder, "%s/corpora", c.dir);
    DIR *dir = opendir(folder);
    const struct dirent *d;
    while ((d = readdir(dir)) && *d->d_name == '.')
        continue;
    (void)snprintf(path, sizeof path, "%s/%.70s", folder, d->d_name);
    (void)snprintf(part, sizeof part, "%s.part", path);
    closedir(dir);
    assert_int_equal(unlink(path), 0);
    c.part = open(part, O_RDWR | O_CREAT, 0600);
    assert_int_equal(flock(c.part, LOCK_EX | LOCK_NB), 0);
    c.config.stopped = slow_maker;
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    bulk_file_close(f);
    /* twice more, though it was asked nine times */
    assert_int_equal(c.told[CORPUS_WAITS], 2);
    assert_int_equal(c.asked, 9);
    folder_remove(c.dir);
}

static void cache_get_keeps_the_action_lines_of_a_file(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    char path[80];
    static const char bulk[] = "{\"create\":{\"_id\":\"1\"}}\n{\"a\":1}\n"
                               "{ \"update\" : {\"_id\":\"1\"} }\n"
                               "{\"doc\":{}}\n";
    cached_init(&c);
    struct plan_documents d = {.file = write_text(&c, path, bulk), .docs = 2};
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    assert_int_equal(f->bytes, sizeof bulk - 1);
    assert_memory_equal(f->data, bulk, sizeof bulk - 1);
    assert_int_equal(f->docs, 2);
    bulk_file_close(f);
    folder_remove(c.dir);
}

static void only_file(const struct cached *c, char path[160])
{
    char folder[80];
    (void)snprintf(folder, sizeof folder, "%s/corpora", c->dir);
    DIR *dir = opendir(folder);
    const struct dirent *d;
    while ((d = readdir(dir)))
        if (*d->d_name != '.')
            (void)snprintf(path, 160, "%s/%s", folder, d->d_name);
    closedir(dir);
}

static void cache_get_makes_anew_what_is_damaged(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    char path[160], sha256[CORPUS_HEX_SIZE];
    cached_init(&c);
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    memcpy(sha256, f->sha256, sizeof sha256);
    bulk_file_close(f);
    only_file(&c, path);
    assert_int_equal(truncate(path, 5000), 0);
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    assert_string_equal(f->sha256, sha256);
    bulk_file_close(f);
    folder_remove(c.dir);
}

static void cache_get_leaves_nothing_when_stopped(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    struct plan_documents large = generated;
    large.docs = 100000; /* 16 MB: looked at each 4 MB */
    cached_init(&c);
    c.stop_after = 3;
    check_err(cache_get(&f, &c.config, &large, &why), ERR_INTERRUPTED);
    assert_null(f);
    assert_int_equal(files(&c), 0);
    folder_remove(c.dir);
}

static void cache_get_goes_on_after_a_crash(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    char path[160], part[170];
    cached_init(&c);
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    bulk_file_close(f);
    only_file(&c, path);
    (void)snprintf(part, sizeof part, "%s.part", path);
    assert_int_equal(rename(path, part), 0); /* begun, and nobody locks it */
    struct plan_documents other = generated;
    other.seed = 2; /* whoever makes a corpus removes what others left */
    check_ok(cache_get(&f, &c.config, &other, &why), why);
    bulk_file_close(f);
    assert_int_equal(files(&c), 1);
    check_ok(cache_get(&f, &c.config, &generated, &why), why);
    bulk_file_close(f);
    assert_int_equal(files(&c), 2);
    folder_remove(c.dir);
}

static void cache_get_is_safe_for_several_at_once(void **state)
{
    (void)state;
    struct cached c;
    pid_t pids[6];
    struct plan_documents large = generated;
    large.docs = 50000;
    cached_init(&c);
    for (int i = 0; i < 6; i++) {
        pids[i] = fork();
        if (pids[i])
            continue;
        struct bulk_file *f;
        struct why why = {0};
        enum err e = cache_get(&f, &c.config, &large, &why);
        /* 1: an error; 2: wrong; 0 made it, 3 found it */
        _exit(e ? 1 : f->docs != 50000 ? 2 : c.made ? 0 : 3);
    }
    unsigned makers = 0;
    for (int i = 0; i < 6; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status));
        assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
        makers += WEXITSTATUS(status) == 0;
    }
    assert_int_equal(makers, 1);
    assert_int_equal(files(&c), 1);
    folder_remove(c.dir);
}

/* 1000 documents of http_logs take about 163 kB in bulk form. */
static void cache_get_stays_below_its_limit(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f, *held;
    struct why why = {0};
    struct plan_documents d = generated;
    const struct timespec pause = {.tv_nsec = 20000000}; /* a newer mtime */
    cached_init(&c);
    c.config.limit_bytes = 400000; /* two of them */
    check_ok(cache_get(&held, &c.config, &d, &why), why);
    for (d.seed = 2; d.seed <= 3; d.seed++) {
        (void)nanosleep(&pause, NULL);
        check_ok(cache_get(&f, &c.config, &d, &why), why);
        bulk_file_close(f);
    }
    assert_int_equal(files(&c), 2);
    c.made = 0;
    d.seed = 2; /* seed 1 went, 2 did not */
    check_ok(cache_get(&f, &c.config, &d, &why), why);
    bulk_file_close(f);
    assert_int_equal(c.made, 0);
    assert_memory_equal(held->data, "{\"index\"", 8); /* still mapped */
    bulk_file_close(held);
    d.docs = 4000;
    check_err(cache_get(&f, &c.config, &d, &why), ERR_RANGE);
    check_says(why, "corpus http_logs: its first ");
    check_says(why, " of 4000 documents exceed the 400000 bytes of "
                    "--cache-limit");
    folder_remove(c.dir);
}

static void cache_get_names_what_it_cannot_write(void **state)
{
    (void)state;
    struct cached c;
    struct bulk_file *f;
    struct why why = {0};
    char path[80], below[100];
    cached_init(&c);
    (void)snprintf(below, sizeof below, "%s/x", write_text(&c, path, "{}"));
    c.config.dir = below; /* a file is no folder */
    enum err e = cache_get(&f, &c.config, &generated, &why);
    assert_int_not_equal(e, ERR_OK);
    check_says(why, "corpus http_logs: corpus cache ");
    check_says(why, path);
    folder_remove(c.dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_get_makes_a_corpus_once),
        cmocka_unit_test(cache_get_tells_corpora_apart),
        cmocka_unit_test(cache_get_takes_a_users_file),
        cmocka_unit_test(cache_get_tells_while_it_reads_and_checks),
        cmocka_unit_test(cache_get_tells_of_another_maker_while_that_gets_on),
        cmocka_unit_test(cache_get_keeps_the_action_lines_of_a_file),
        cmocka_unit_test(cache_get_makes_anew_what_is_damaged),
        cmocka_unit_test(cache_get_leaves_nothing_when_stopped),
        cmocka_unit_test(cache_get_goes_on_after_a_crash),
        cmocka_unit_test(cache_get_is_safe_for_several_at_once),
        cmocka_unit_test(cache_get_stays_below_its_limit),
        cmocka_unit_test(cache_get_names_what_it_cannot_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
