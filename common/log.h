/* One line per event on stderr: "program level event key=value ...". Daemons
 * only; command line programs print one error and progress. */
#ifndef PITWALL_COMMON_LOG_H
#define PITWALL_COMMON_LOG_H

#include "common/err.h"

/* fmt gives the event and its key=value pairs: "gate started pid=%d". Control
 * characters and bad UTF-8 of the result are replaced by '?', so that text of a
 * peer cannot forge a line or drive a terminal. Thread: any. */
void log_info(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_warn(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_error(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
