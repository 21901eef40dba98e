/* What every unit test includes: cmocka with the headers it needs, and checks
 * of our own error type. */
#ifndef PITWALL_TESTS_LIB_CHECK_H
#define PITWALL_TESTS_LIB_CHECK_H

/* cmocka.h needs the four before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
/* clang-format on */

#include "common/err.h"

/* The call succeeds; its text is shown when it does not. */
#define check_ok(call, why)                                                    \
    do {                                                                       \
        enum err check_e_ = (call);                                            \
        if (check_e_)                                                          \
            fail_msg("%s: %s: %s", #call, err_name(check_e_), (why).text);     \
    } while (0)

/* The call fails with this code. */
#define check_err(call, code)                                                  \
    assert_string_equal(err_name(call), err_name(code))

/* The text contains this part. */
#define check_says(why, part)                                                  \
    do {                                                                       \
        if (!strstr((why).text, part))                                         \
            fail_msg("\"%s\" does not say \"%s\"", (why).text, part);          \
    } while (0)

#define check_near(got, want, tolerance)                                       \
    do {                                                                       \
        double check_g_ = (got), check_w_ = (want);                            \
        if (!(check_g_ >= check_w_ - (tolerance) &&                            \
              check_g_ <= check_w_ + (tolerance)))                             \
            fail_msg("%s is %.17g, not %.17g", #got, check_g_, check_w_);      \
    } while (0)

#endif
