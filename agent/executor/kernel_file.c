#include "agent/executor/kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/sysctl.h"

enum err kernel_file(const char *path, const char *name,
                     const char *write_value, char read_value[KERNEL_FILE_MAX],
                     struct why *why)
{
    char raw[KERNEL_FILE_MAX] = "";
    int fd = open(path, (write_value ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    if (fd < 0)
        return err_errno(why, errno, "open %s", path);
    ssize_t n = write_value ? write(fd, write_value, strlen(write_value))
                            : read(fd, raw, sizeof raw - 1);
    int saved = errno;
    (void)close(fd);
    if (n < 0)
        return err_errno(why, saved, "%s \"%.80s\"", name,
                         write_value ? write_value : "");
    if (!write_value)
        sysctl_normalise(read_value, KERNEL_FILE_MAX, raw);
    return ERR_OK;
}
