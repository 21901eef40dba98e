#include "agent/watch/symtab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/watch/scan.h"

#define PIECE_BYTES (1u << 20)
#define BACK_MAX    16u /* entries that may overlap an address, looked at */

/* A word of hexadecimal digits, with 0x or without. */
static bool take_hex(struct scan *line, uint64_t *out)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    struct scan word;
    if (!scan_word(line, &word))
        return false;
    const char *at = word.at;
    if (word.end - at > 2 && at[0] == '0' && at[1] == 'x')
        at += 2;
    if (word.end - at > 16)
        return false;
    *out = 0;
    for (; at < word.end; at++) {
        const char *digit = memchr(digits, *at, sizeof digits - 1);
        if (!digit)
            return false;
        size_t value = (size_t)(digit - digits);
        *out = *out << 4 | (value < 16 ? value : value - 6);
    }
    return true;
}

/* Of the kernel's symbols its functions only. */
static bool take_kind(struct scan *line)
{
    struct scan word;
    return scan_word(line, &word) && word.end - word.at == 1 &&
           memchr("tTwW", *word.at, 4);
}

static bool read_line(const struct symtab *table, enum symtab_kind kind,
                      struct scan line, struct symtab_entry *e)
{
    *e = (struct symtab_entry){0};
    bool good = take_hex(&line, &e->address) && e->address &&
                (kind == SYMTAB_KERNEL ? take_kind(&line)
                                       : take_hex(&line, &e->size) && e->size);
    while (line.at < line.end && *line.at == ' ')
        line.at++;
    e->name = (uint32_t)(line.at - table->text);
    return good && line.at < line.end;
}

static int by_address(const void *a, const void *b)
{
    const struct symtab_entry *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static size_t count_lines(const char *text, size_t len)
{
    size_t n = 0;
    for (const char *at = text, *end = text + len; at && at < end; n++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return n;
}

void symtab_take(struct symtab *table, enum symtab_kind kind, char *text,
                 size_t len)
{
    *table = (struct symtab){.text = text, .len = text ? len : 0};
    if (table->len > SYMTAB_TEXT_MAX)
        table->len = SYMTAB_TEXT_MAX;
    size_t max = count_lines(text, table->len);
    max = max < SYMTAB_MAX ? max : SYMTAB_MAX;
    table->entries = max ? calloc(max, sizeof *table->entries) : NULL;
    if (!table->entries)
        return;
    struct scan all = scan_text(text, table->len), line;
    while (table->n < max && scan_line(&all, &line))
        table->n += read_line(table, kind, line, &table->entries[table->n]);
    if (table->n)
        qsort(table->entries, table->n, sizeof *table->entries, by_address);
}

void symtab_fini(struct symtab *table)
{
    free(table->text);
    free(table->entries);
    *table = (struct symtab){0};
}

/* Files of /proc have no size beforehand. */
void symtab_read(struct symtab *table, enum symtab_kind kind, int fd)
{
    char *text = NULL;
    size_t len = 0, room = 0;
    while (fd >= 0 && len < SYMTAB_TEXT_MAX) {
        if (room - len < PIECE_BYTES) {
            char *grown = realloc(text, room + 4 * PIECE_BYTES);
            if (!grown)
                break;
            text = grown;
            room += 4 * PIECE_BYTES;
        }
        ssize_t n = pread(fd, text + len, PIECE_BYTES, (off_t)len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    symtab_take(table, kind, text, len);
}

bool symtab_name(const struct symtab *table, uint64_t address, char *name,
                 size_t size)
{
    size_t low = 0, high = table->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (table->entries[mid].address <= address)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = 0; i < BACK_MAX && low-- > 0; i++) {
        const struct symtab_entry *e = &table->entries[low];
        if (e->size && address - e->address >= e->size)
            continue;
        const char *text = table->text + e->name;
        size_t left = table->len - e->name, n = 0;
        while (n < left && n < 200 && text[n] != '\n' && text[n] != '\t')
            n++;
        (void)snprintf(name, size, "%.*s", (int)n, text);
        return true;
    }
    return false;
}
