#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/fidelity/csv.h"
#include "tests/bench/fidelity/driver.h"
#include "tests/bench/fidelity/row.h"
#include "tests/lib/check.h"

static char path[] = "/tmp/fidelity_row_XXXXXX";

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void csv_reads_cells_by_the_heads_names(void **state)
{
    (void)state;
    struct why why = {0};
    struct csv csv;
    uint64_t n = 1;
    write_text("run,link,share\r\n7,lo,0.25\r\n8,,\r\n");
    check_ok(csv_read(&csv, path, &why), why);
    assert_int_equal(csv.rows, 3);
    assert_string_equal(csv_text(&csv, 1, "link"), "lo");
    assert_string_equal(csv_text(&csv, 2, "share"), "");
    assert_null(csv_text(&csv, 1, "nothing"));
    check_ok(csv_u64(&csv, 2, "run", &n, &why), why);
    assert_int_equal(n, 8);
    check_ok(csv_u64(&csv, 2, "link", &n, &why), why);
    assert_int_equal(n, 0); /* empty */
    csv_free(&csv);
}

static void csv_names_file_line_and_column_of_a_fault(void **state)
{
    (void)state;
    struct why why = {0};
    struct csv csv;
    uint64_t n;
    write_text("run,link\n7,lo\n8,-3\n");
    check_ok(csv_read(&csv, path, &why), why);
    check_err(csv_u64(&csv, 1, "link", &n, &why), ERR_INVALID);
    check_says(why, ":2: link: \"lo\" is no number");
    check_err(csv_u64(&csv, 2, "link", &n, &why), ERR_INVALID);
    check_says(why, "-3");
    check_err(csv_u64(&csv, 1, "heap", &n, &why), ERR_INVALID);
    check_says(why, "no column heap");
    csv_free(&csv);
}

static void csv_refuses_lines_of_another_length_and_quotes(void **state)
{
    (void)state;
    struct why why = {0};
    struct csv csv;
    write_text("run,link\n7\n");
    check_err(csv_read(&csv, path, &why), ERR_INVALID);
    check_says(why, ":2: 1 cells, the head 2");
    write_text("run,link\n7,\"lo\"\n");
    check_err(csv_read(&csv, path, &why), ERR_INVALID);
    check_says(why, "quotes");
}

/* The copies that travel with the project. */
static void rows_have_their_reads_and_know_repeats(void **state)
{
    (void)state;
    struct why why = {0};
    struct rows rows;
    check_ok(rows_load(&rows, FIDELITY_DATA "/jvm-reference.csv",
                       FIDELITY_DATA "/jvm-read-histograms.csv", &why),
             why);
    assert_int_equal(rows.n, 232);
    const struct row *core = NULL, *repeat = NULL, *shaped = NULL;
    for (size_t i = 0; i < rows.n; i++) {
        const struct row *r = &rows.of[i];
        uint64_t reads = 0, bytes = 0;
        for (size_t j = 0; j < r->n_sizes; j++) {
            reads += r->sizes[j].count;
            bytes += r->sizes[j].bytes;
        }
        assert_int_equal(reads, r->reads);
        assert_int_equal(bytes, r->bytes_ingested);
        core = r->run == 20 ? r : core;
        repeat = r->run == 204 ? r : repeat;
        shaped = r->run == 39 ? r : shaped;
    }
    assert_true(row_same_cell(core, repeat));
    assert_false(row_same_cell(core, shaped));
    assert_true(row_scored(core));
    assert_true(row_oom(shaped) && !row_oom(core));
    rows_free(&rows);
}

/* 180 bytes of head, as the reference's bytes per request show. */
static void driver_sends_what_the_references_driver_sent(void **state)
{
    (void)state;
    struct why why = {0};
    struct driver d;
    check_ok(driver_make(&d, 8000000, 0, 0, &why), why);
    assert_int_equal(d.bytes, 8000180);
    assert_int_equal(d.lines[0], 899); /* and the line feed */
    uint64_t body = 0;
    for (size_t i = 0; i < d.n_lines; i++) {
        assert_true(i == d.n_lines - 1 || d.lines[i] >= 299);
        assert_true(d.lines[i] <= 1498);
        body += d.lines[i] + 1;
    }
    assert_int_equal(body, 8000000);
    assert_int_equal(d.request[d.bytes - 1], '\n');
    driver_free(&d);
    /* 15 headers of 500 bytes: 7,857 with a body of 1,000. */
    check_ok(driver_make(&d, 1000, 15, 500, &why), why);
    assert_int_equal(d.bytes, 8857);
    driver_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_reads_cells_by_the_heads_names),
        cmocka_unit_test(csv_names_file_line_and_column_of_a_fault),
        cmocka_unit_test(csv_refuses_lines_of_another_length_and_quotes),
        cmocka_unit_test(rows_have_their_reads_and_know_repeats),
        cmocka_unit_test(driver_sends_what_the_references_driver_sent),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
