/* pitwall: the operator's command line. */
#include "controller/command.h"

int main(int argc, char **argv)
{
    struct why why = {""};
    int status = 0;
    enum err e = command_main(argc, argv, &status, &why);
    return e ? err_main("pitwall", e, &why) : status;
}
