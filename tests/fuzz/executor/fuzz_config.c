#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* agent.json: whatever is accepted stands terminated and within its bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config c = {.roles = "both", .state = "/"};
    struct jv *root = NULL;
    struct why why = {0};
    if (size > CONFIG_FILE_MAX ||
        jv_parse(&root, "agent.json", (const char *)data, size, &why))
        return 0;
    if (!config_read(&c, root, "/nowhere", &why)) {
        if (c.state[0] != '/' || c.n_sysctls > CONFIG_SYSCTLS_MAX ||
            strnlen(c.name, sizeof c.name) == sizeof c.name ||
            strnlen(c.listen, sizeof c.listen) == sizeof c.listen)
            abort();
        (void)config_allows_sysctl(&c, "net.ipv4.tcp_sack");
    } else if (!why.text[0]) {
        abort();
    }
    config_fini(&c);
    jv_free(root);
    return 0;
}
