#include "agent/executor/executor.h"
#include "agent/executor/options.h"

#define PROGRAM "pitwall-agent"

int main(int argc, char **argv)
{
    struct options options;
    struct config config = {.name = ""};
    struct why why = {0};

    options_parse(&options, argc, argv);
    enum err e = options_config(&options, &config, &why);
    if (!e && options.verb == OPTIONS_CHECK)
        e = executor_check(&config, &why);
    else if (!e && options.verb == OPTIONS_RESTORE)
        e = executor_restore(&config, &why);
    else if (!e)
        e = executor_run(&config, options.parent_fd, &why);
    config_fini(&config);
    return err_main(PROGRAM, e, &why);
}
