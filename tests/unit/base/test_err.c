#include "tests/lib/check.h"

int main(void)
{
    return 0;
}
