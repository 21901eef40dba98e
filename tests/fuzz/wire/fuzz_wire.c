/* A map with a field of every type, and the token reader under it: whatever
 * decodes is also one whole token tree. */
#include <stdlib.h>
#include <string.h>

#include "common/token.h"
#include "common/wire.h"

#define ALL(F)                                                                 \
    F(U32, a, 300, OPT)                                                        \
    F(U64, b, 0, OPT)                                                          \
    F(I64, c, 0, OPT)                                                          \
    F(F64, d, 0, OPT)                                                          \
    F(STR, e, 5, OPT)                                                          \
    F(BLOB, f, 9, OPT)

struct all {
    WIRE_FIELDS(ALL)
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* One whole value and nothing behind it. */
static bool whole(const uint8_t *data, size_t size)
{
    struct token_reader r = token_reader(data, size);
    struct token t;
    struct why why = {0};
    enum err e = token_next(&r, &t, &why);
    if (!e)
        e = token_skip(&r, &t, 0, &why);
    require(!e || (e == ERR_PROTOCOL && why.text[0]));
    return !e && r.at == r.end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    typedef struct all wire_this;
    static const struct wire_field rows[] = {WIRE_ROWS(ALL)};
    struct all all;
    struct why why = {0};
    bool tree = whole(data, size);
    if (wire_decode(rows, sizeof rows / sizeof *rows, data, size, &all, &why)) {
        require(why.text[0] && !all.a && !all.f.data);
        return 0;
    }
    require(tree && all.a <= 300 && all.e[5] == '\0' && all.f.len <= 9);
    if (all.f.len)
        require(all.f.data >= data && all.f.data + all.f.len <= data + size);
    return 0;
}
