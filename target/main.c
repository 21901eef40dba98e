/* pitwall-target: the ingest server under test. */
#include "common/child.h"
#include "target/args.h"
#include "target/run.h"

int main(int argc, char **argv)
{
    static struct settings settings;
    struct why why = {0};
    enum err e = args_parse(&settings, argc, argv, &why);
    if (!e)
        e = run_target(&settings, &why);
    int status = err_main("pitwall-target", e, &why);
    return e == ERR_OOM ? CHILD_EXIT_OOM : status;
}
