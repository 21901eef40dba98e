/* Writes a page of a small experiment to the file that is named: measured
 * curves, and names as a stranger might choose them. */
#include <stdio.h>
#include <stdlib.h>

#include "results/page.h"
#include "tests/unit/results/lab.h"

#define EVIL "</script><script>document.title=\"evil\"</script>"

int main(int argc, char **argv)
{
    struct why why = {""};
    struct lab lab;
    struct spooler spool = {0};
    const struct page_options options = {.live = false};
    char *html = NULL;
    assert_int_equal(argc, 2);
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    spooler_record(
        &spool, SPOOL_WATCH_TARGET, RECORD_IS_sample_jvm,
        &(struct record_sample_jvm){.young_count = 2, .young_ns = 30000000});
    spooler_record(
        &spool, SPOOL_WATCH_TARGET, RECORD_IS_sample_jit,
        &(struct record_sample_jit){.quick_count = 90, .quick_ns = 400000000});
    for (uint32_t tid = 1; tid <= 10; tid++)
        (void)lab_end(&lab, tid, OUTCOME_OK, &spool);
    lab_exec(&lab, "delete from invalid");
    lab_exec(&lab, "insert into metric select id, 'link_capacity', '', "
                   "'libiperf', 8e6, 0 from attempt where id > 1");
    lab_exec(&lab, "update level set label = '" EVIL "' where label = '1g'");
    lab_exec(&lab, "insert into note(experiment, text) values (1, "
                   "'<img src=x onerror=document.title=1>" EVIL "')");
    check_ok(page_report(lab.store, lab.experiment, &options, &html, &why),
             why);
    FILE *out = fopen(argv[1], "w");
    assert_non_null(out);
    assert_true(fputs(html, out) >= 0);
    assert_int_equal(fclose(out), 0);
    free(html);
    spooler_free(&spool);
    lab_fini(&lab);
    return 0;
}
