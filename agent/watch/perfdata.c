/* The file, in the machine's byte order:
 *
 *     ca fe c0 c0, byte order u8 (1: little-endian), major u8, minor u8,
 *         accessible u8, used u32, overflow u32, time u64,
 *         first entry's place u32, entries u32
 *     entry: its length u32, name's place in it u32, items u32 (0: one number),
 *         type u8 ('J' number, 'B' bytes), flags u8, unit u8, kind u8, value's
 *         place in it u32, ...
 *
 * The machine goes on counting while it is read: each number is whole, all
 * together are of about one moment. */
#include "agent/watch/perfdata.h"

#include <string.h>

#define HEAD_BYTES  32u
#define ENTRY_BYTES 20u
#define ENTRIES_MAX 4096u

struct entry {
    const char *name;
    const uint8_t *value;
    size_t len; /* of the value, to the entry's end */
    uint32_t items;
    char type;
};

static uint32_t u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static enum err check(const uint8_t *data, size_t len, struct why *why)
{
    static const uint8_t magic[] = {0xca, 0xfe, 0xc0, 0xc0};
    if (len < HEAD_BYTES || memcmp(data, magic, sizeof magic) != 0 ||
        data[4] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) || data[5] != 2)
        return err_set(why, ERR_CORRUPT, "no file of a JVM's counters");
    if (!data[7])
        return err_set(why, ERR_AGAIN, "the JVM's counters are not ready");
    return ERR_OK;
}

/* The entry at *place, which goes on to the next. */
static bool next_entry(const uint8_t *data, size_t len, size_t *place,
                       struct entry *out)
{
    if (*place > len || len - *place < ENTRY_BYTES)
        return false;
    const uint8_t *at = data + *place;
    uint32_t bytes = u32(at), name = u32(at + 4), value = u32(at + 16);
    if (bytes < ENTRY_BYTES || bytes > len - *place || name >= bytes ||
        value >= bytes || !memchr(at + name, 0, bytes - name))
        return false;
    *out = (struct entry){.name = (const char *)at + name,
                          .value = at + value,
                          .len = bytes - value,
                          .items = u32(at + 8),
                          .type = (char)at[12]};
    *place += bytes;
    return true;
}

static void fill(const struct entry *e, struct perfdata_want *wants, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!wants[i].found && !strcmp(wants[i].name, e->name)) {
            memcpy(&wants[i].value, e->value, sizeof wants[i].value);
            wants[i].found = true;
        }
}

enum err perfdata_read(const uint8_t *data, size_t len,
                       struct perfdata_want *wants, size_t n, struct why *why)
{
    enum err e = check(data, len, why);
    if (e)
        return e;
    size_t place = u32(data + 24);
    uint32_t entries = u32(data + 28);
    struct entry entry;
    for (size_t i = 0; i < n; i++) {
        wants[i].value = 0;
        wants[i].found = false;
    }
    for (uint32_t i = 0; i < entries; i++) {
        if (i == ENTRIES_MAX || !next_entry(data, len, &place, &entry))
            return err_set(why, ERR_CORRUPT,
                           "a JVM's counters: entry %u of %u is broken", i,
                           entries);
        if (entry.type == 'J' && !entry.items && entry.len >= 8)
            fill(&entry, wants, n);
    }
    return ERR_OK;
}

bool perfdata_text(const uint8_t *data, size_t len, const char *name, char *buf,
                   size_t size)
{
    struct entry entry;
    buf[0] = '\0';
    if (check(data, len, NULL))
        return false;
    size_t place = u32(data + 24);
    uint32_t entries = u32(data + 28);
    for (uint32_t i = 0; i < entries && i < ENTRIES_MAX &&
                         next_entry(data, len, &place, &entry);
         i++) {
        if (entry.type != 'B' || strcmp(entry.name, name) != 0)
            continue;
        size_t room = entry.len < entry.items ? entry.len : entry.items;
        size_t n = strnlen((const char *)entry.value, room);
        n = n < size ? n : size - 1;
        memcpy(buf, entry.value, n);
        buf[n] = '\0';
        return true;
    }
    return false;
}
