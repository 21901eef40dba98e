#include "agent/executor/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void notes_add(struct notes *notes, const char *name, const char *fmt, ...)
{
    char value[NOTE_VALUE_MAX];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(value, sizeof value, fmt, ap);
    va_end(ap);
    if (n >= (int)sizeof value)
        memcpy(value + sizeof value - 4, "...", 4);
    for (char *c = value; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    size_t room = sizeof notes->text - notes->used;
    n = snprintf(notes->text + notes->used, room, "%.*s=%s\n",
                 (int)NOTE_NAME_MAX - 1, name, value);
    if (n > 0 && (size_t)n < room)
        notes->used += (size_t)n;
    notes->text[notes->used] = '\0';
}

bool notes_word(char *buf, const char *fmt, ...)
{
    static const char cut[] = " ...";
    size_t used = strlen(buf), gap = used ? 1 : 0;
    size_t room = NOTE_VALUE_MAX - sizeof cut;
    char word[200];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(word, sizeof word, fmt, ap);
    va_end(ap);
    bool fits = used + gap + strlen(word) < room;
    if (fits)
        (void)sprintf(buf + used, "%s%s", gap ? " " : "", word);
    else if (used < sizeof cut || strcmp(buf + used - 4, cut) != 0)
        (void)sprintf(buf + used, "%s", cut);
    return fits;
}

bool notes_next(const struct notes *notes, size_t *at, char name[NOTE_NAME_MAX],
                char value[NOTE_VALUE_MAX])
{
    const char *line = notes->text + *at;
    size_t len = strcspn(line, "\n"), name_len = strcspn(line, "=");
    if (*at >= notes->used || name_len >= len)
        return false;
    (void)snprintf(name, NOTE_NAME_MAX, "%.*s", (int)name_len, line);
    (void)snprintf(value, NOTE_VALUE_MAX, "%.*s", (int)(len - name_len - 1),
                   line + name_len + 1);
    *at += len + 1;
    return true;
}
