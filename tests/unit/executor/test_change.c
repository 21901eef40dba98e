#include <stdio.h>
#include <stdlib.h>

#include "agent/executor/change.h"
#include "tests/lib/check.h"

#define BOOT  "11111111-2222-3333-4444-555555555555"
#define OTHER "99999999-2222-3333-4444-555555555555"

static struct change record(uint64_t seq, const char *target,
                            enum change_state state)
{
    struct change c = {.seq = seq,
                       .incarnation = 7,
                       .token = 3,
                       .boot_id = BOOT,
                       .kind = CHANGE_SYSCTL,
                       .state = state,
                       .old = "4096 131072 6291456",
                       .new = "10240 10240 10240"};
    (void)snprintf(c.target, sizeof c.target, "%s", target);
    return c;
}

/* seq 1: a intent, 2: a applied, 3: b intent, 4: b undoing, 5: b undone. */
static size_t journal(uint8_t *to, size_t ends[5])
{
    static const struct {
        const char *target;
        enum change_state state;
    } rows[5] = {{"a", CHANGE_INTENT},
                 {"a", CHANGE_APPLIED},
                 {"b", CHANGE_INTENT},
                 {"b", CHANGE_UNDOING},
                 {"b", CHANGE_UNDONE}};
    size_t len = 0;
    for (unsigned i = 0; i < 5; i++) {
        struct change c = record(i + 1, rows[i].target, rows[i].state);
        len += change_encode(&c, to + len);
        ends[i] = len;
    }
    return len;
}

static void change_decode_gives_back_what_was_encoded(void **state)
{
    uint8_t bytes[CHANGE_RECORD_MAX];
    struct change c =
        record(0x0102030405060708, "net.ipv4.tcp_rmem", CHANGE_APPLIED);
    struct change got;
    struct why why = {0};
    size_t used;
    (void)state;
    /* 8 frame + 24 numbers + 36 boot + 5 sizes + 17 + 19 + 17 texts */
    assert_int_equal(change_encode(&c, bytes), 126);
    assert_int_equal(bytes[0], 118);
    check_ok(change_decode(bytes, 126, &got, &used, &why), why);
    assert_int_equal(used, 126);
    assert_true(got.seq == c.seq && got.incarnation == 7 && got.token == 3);
    assert_int_equal(got.kind, CHANGE_SYSCTL);
    assert_int_equal(got.state, CHANGE_APPLIED);
    assert_string_equal(got.boot_id, BOOT);
    assert_string_equal(got.target, "net.ipv4.tcp_rmem");
    assert_string_equal(got.old, "4096 131072 6291456");
    assert_string_equal(got.new, "10240 10240 10240");
}

static void change_decode_refuses_any_flipped_bit(void **state)
{
    uint8_t bytes[CHANGE_RECORD_MAX];
    struct change c = record(1, "a", CHANGE_INTENT), got;
    size_t len = change_encode(&c, bytes), used;
    (void)state;
    for (size_t bit = 0; bit < len * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        check_err(change_decode(bytes, len, &got, &used, NULL), ERR_CORRUPT);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
}

/* Whatever the length at which a crash has cut the file: whole records count,
 * the torn one does not. */
static void changes_replay_ignores_every_torn_tail(void **state)
{
    uint8_t bytes[5 * CHANGE_RECORD_MAX];
    size_t ends[5], len = journal(bytes, ends);
    static const unsigned live[6] = {0, 1, 1, 2, 2, 1};
    (void)state;
    for (size_t cut = 0; cut <= len; cut++) {
        struct changes list;
        struct why why = {0};
        size_t good, whole = 0;
        while (whole < 5 && ends[whole] <= cut)
            whole++;
        check_ok(changes_replay(&list, bytes, cut, &good, &why), why);
        assert_int_equal(good, whole ? ends[whole - 1] : 0);
        assert_int_equal(list.n, live[whole]);
        assert_int_equal(list.seq, whole);
    }
}

static void changes_replay_ignores_a_torn_record_of_full_length(void **state)
{
    uint8_t bytes[5 * CHANGE_RECORD_MAX];
    size_t ends[5], good;
    struct changes list;
    struct why why = {0};
    (void)state;
    (void)journal(bytes, ends);
    bytes[ends[2] + 20] ^= 1; /* in record 4, now the last */
    check_ok(changes_replay(&list, bytes, ends[3], &good, &why), why);
    assert_int_equal(good, ends[2]);
    assert_int_equal(list.n, 2);
}

/* A power cut may have made the file longer without its bytes. */
static void changes_replay_ignores_zeros_at_the_end(void **state)
{
    uint8_t bytes[5 * CHANGE_RECORD_MAX + 4096] = {0};
    size_t ends[5], good, len = journal(bytes, ends);
    struct changes list;
    struct why why = {0};
    (void)state;
    check_ok(changes_replay(&list, bytes, len + 4096, &good, &why), why);
    assert_int_equal(good, len);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.items[0].target, "a");
}

static void changes_replay_says_where_the_middle_is_damaged(void **state)
{
    uint8_t bytes[5 * CHANGE_RECORD_MAX];
    size_t ends[5], good, len = journal(bytes, ends);
    struct changes list;
    struct why why = {0};
    char place[40];
    (void)state;
    bytes[ends[1] + 30] ^= 0x40; /* record 3 */
    check_err(changes_replay(&list, bytes, len, &good, &why), ERR_CORRUPT);
    check_says(why, "checksum");
    (void)snprintf(place, sizeof place, "at byte %zu", ends[1]);
    assert_non_null(strstr(why.text, place));
    assert_int_equal(list.n, 1); /* a, applied */
    assert_int_equal(list.items[0].state, CHANGE_APPLIED);
}

static void changes_take_refuses_what_does_not_follow(void **state)
{
    static const struct {
        enum change_state before, after;
        bool good;
    } rows[] = {{0, CHANGE_INTENT, true},
                {0, CHANGE_APPLIED, false},
                {0, CHANGE_UNDONE, false},
                {CHANGE_INTENT, CHANGE_INTENT, false},
                {CHANGE_INTENT, CHANGE_APPLIED, true},
                {CHANGE_INTENT, CHANGE_UNDONE, true},
                {CHANGE_INTENT, CHANGE_RELEASED, false},
                {CHANGE_APPLIED, CHANGE_APPLIED, false},
                {CHANGE_APPLIED, CHANGE_UNDOING, true},
                {CHANGE_UNDOING, CHANGE_UNDOING, true},
                {CHANGE_UNDOING, CHANGE_APPLIED, false},
                {CHANGE_DRIFT, CHANGE_RELEASED, true},
                {CHANGE_DRIFT, CHANGE_UNDOING, true},
                {CHANGE_DRIFT, CHANGE_APPLIED, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct changes list = {.seq = 10};
        struct change c = record(11, "a", rows[i].after);
        if (rows[i].before) {
            list.items[0] = record(10, "a", rows[i].before);
            list.n = 1;
        }
        enum err e = changes_take(&list, &c, NULL);
        assert_int_equal(e, rows[i].good ? ERR_OK : ERR_STATE);
        assert_int_equal(list.seq, rows[i].good ? 11 : 10);
    }
}

static void changes_take_refuses_a_gap_and_a_65th(void **state)
{
    struct changes list = {.n = 0};
    struct why why = {0};
    (void)state;
    struct change c = record(2, "a", CHANGE_INTENT);
    assert_int_equal(changes_take(&list, &c, NULL), ERR_STATE);
    for (unsigned i = 0; i < CHANGES_MAX; i++) {
        char target[16];
        (void)snprintf(target, sizeof target, "t%u", i);
        c = record(i + 1, target, CHANGE_INTENT);
        check_ok(changes_take(&list, &c, &why), why);
    }
    c = record(65, "one more", CHANGE_INTENT);
    assert_int_equal(changes_take(&list, &c, NULL), ERR_NOSPACE);
    assert_int_equal(list.n, 64);
}

static void change_verdict_clobbers_nothing_that_is_not_ours(void **state)
{
    struct change c = record(1, "a", CHANGE_APPLIED);
    (void)state;
    assert_int_equal(change_verdict(&c, BOOT, "10240 10240 10240"),
                     CHANGE_WRITE_OLD);
    assert_int_equal(change_verdict(&c, BOOT, "4096 131072 6291456"),
                     CHANGE_NOTHING);
    assert_int_equal(change_verdict(&c, BOOT, "1 2 3"), CHANGE_LEAVE);
    /* Reset by the kernel; what looks like ours is somebody's own. */
    assert_int_equal(change_verdict(&c, OTHER, "10240 10240 10240"),
                     CHANGE_FORGET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(change_decode_gives_back_what_was_encoded),
        cmocka_unit_test(change_decode_refuses_any_flipped_bit),
        cmocka_unit_test(changes_replay_ignores_every_torn_tail),
        cmocka_unit_test(changes_replay_ignores_a_torn_record_of_full_length),
        cmocka_unit_test(changes_replay_ignores_zeros_at_the_end),
        cmocka_unit_test(changes_replay_says_where_the_middle_is_damaged),
        cmocka_unit_test(changes_take_refuses_what_does_not_follow),
        cmocka_unit_test(changes_take_refuses_a_gap_and_a_65th),
        cmocka_unit_test(change_verdict_clobbers_nothing_that_is_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
