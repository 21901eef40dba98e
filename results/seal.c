#include "results/seal.h"

#include <string.h>

#include "results/rowsum.h"

enum err seal_attempt(struct db *db, int64_t attempt, struct why *why)
{
    struct db_stmt *row = NULL;
    bool any = false;
    uint32_t crc = 0;
    enum err e = db_prepare(db, &row, "select * from attempt where id = ?",
                            DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(row, &any, why);
    const char *name;
    for (size_t i = 0; any && (name = db_column_name(row, i)); i++) {
        struct db_value v = db_column(row, i);
        if (strcmp(name, "crc"))
            crc = rowsum_add(crc, name, &v);
    }
    db_finish(row);
    return e ? e
             : db_run(db, "update attempt set crc = ? where id = ?",
                      DB_VALUES(DB_I(crc), DB_I(attempt)), NULL, why);
}
