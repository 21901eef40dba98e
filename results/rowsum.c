#include "results/rowsum.h"

#include <stdio.h>
#include <string.h>

#include "common/crc.h"

uint32_t rowsum_name(const char *column)
{
    return crc32c(0, column, strlen(column) + 1);
}

uint32_t rowsum_add(uint32_t sum, const char *column,
                    const struct db_value *value)
{
    return rowsum_add_to(sum, rowsum_name(column), value);
}

uint32_t rowsum_add_to(uint32_t sum, uint32_t name,
                       const struct db_value *value)
{
    if (value->type == DB_NULL)
        return sum;
    uint8_t type = (uint8_t)value->type, bytes[8];
    uint64_t bits = (uint64_t)value->i;
    double f = value->f + 0.0; /* SQLite gives -0.0 back as 0.0 */
    if (value->type == DB_REAL)
        memcpy(&bits, &f, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    uint32_t crc = crc32c(name, &type, 1);
    if (value->type == DB_INT || value->type == DB_REAL)
        crc = crc32c(crc, bytes, sizeof bytes);
    else
        crc = crc32c(crc, value->data, value->len);
    return sum + crc;
}

/* The first three columns, which are a row's key, for the complaint. */
static void show_key(struct db_stmt *stmt, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    const char *name;
    for (size_t i = 0; i < 3 && n < size; i++) {
        if (!(name = db_column_name(stmt, i)) || !strcmp(name, "crc"))
            break;
        struct db_value v = db_column(stmt, i);
        if (v.type == DB_INT)
            n += (size_t)snprintf(buf + n, size - n, " %s=%lld", name,
                                  (long long)v.i);
        else if (v.type == DB_TEXT)
            n += (size_t)snprintf(buf + n, size - n, " %s=%.40s", name,
                                  (const char *)v.data);
    }
}

enum err rowsum_check(struct db_stmt *stmt, const char *table, struct why *why)
{
    uint32_t sum = 0;
    struct db_value want = {.type = DB_NULL};
    const char *name;
    for (size_t i = 0; (name = db_column_name(stmt, i)); i++) {
        struct db_value v = db_column(stmt, i);
        if (!strcmp(name, "crc")) {
            want = v;
            break;
        }
        sum = rowsum_add(sum, name, &v);
    }
    if (want.type == DB_INT && want.i == (int64_t)sum)
        return ERR_OK;
    char key[200];
    show_key(stmt, key, sizeof key);
    return err_set(why, ERR_CORRUPT,
                   "%s%s: the row does not match its checksum", table, key);
}
