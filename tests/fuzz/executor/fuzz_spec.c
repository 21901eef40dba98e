#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/effective.h"
#include "agent/executor/orders.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next line of the input, without its end. */
static const uint8_t *next_line(const uint8_t **at, size_t *left, size_t *len)
{
    const uint8_t *line = *at;
    const uint8_t *end = *left ? memchr(line, '\n', *left) : NULL;
    *len = end ? (size_t)(end - line) : *left;
    *at += *len + (end != NULL);
    *left -= *len + (end != NULL);
    return line;
}

/* Texts are copied as they are, without an end where they fill their field;
 * '|' stands for the line breaks inside them. */
static void set_text(char *to, size_t size, const uint8_t *line, size_t len)
{
    for (size_t i = 0; i < size && i < len; i++)
        to[i] = line[i] == '|' ? '\n' : (char)line[i];
}

static uint64_t number(const uint8_t *line, size_t len)
{
    char digits[24] = "";
    memcpy(digits, line, len < 23 ? len : 23);
    return strtoull(digits, NULL, 10);
}

#define SET_STR(field) set_text(field, sizeof field, line, len)
#define SET_U32(field) field = (uint32_t)number(line, len)
#define SET_U64(field) field = number(line, len)
#define SET(type, name, max, need)                                             \
    line = next_line(&at, &left, &len);                                        \
    SET_##type(q.as.spec.name);

/* A spec from a gate gone mad: one line per field, in the order of
 * common/spec.h. Whatever setup accepts can be written down. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct setup setup;
    static char text[65536];
    struct port_request q = {.op = MSG_PREPARE};
    struct config config = {.sysctls = {"net.*"}, .n_sysctls = 1};
    struct facts facts = {.mode = (enum facts_mode)(size % 3),
                          .veth = true,
                          .tbf = true,
                          .netem = true};
    struct link_state link = {.target = {.dev = "lo"}};
    static struct effective_facts notes;
    struct why why = {0};
    const uint8_t *at = data, *line;
    size_t left = size, len;
    TRIAL_SPEC(SET)
    orders_terminate(&q);
    CPU_ZERO(&facts.cpus);
    for (unsigned cpu = 0; cpu < 8; cpu++)
        CPU_SET(cpu, &facts.cpus);
    const struct setup_place place = {.work = "/s/work", .port = SETUP_PORT};
    enum err e = setup_make(&setup, &q.as.spec, &facts, &config, &place, &why);
    if (!e)
        e = effective_print(&setup, &link, &notes, text, sizeof text, &why);
    if (e && !why.text[0])
        abort();
    return 0;
}
