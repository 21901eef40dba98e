/* Which TCP ports something listens on in this network namespace. */
#ifndef PITWALL_AGENT_WATCH_LISTENERS_H
#define PITWALL_AGENT_WATCH_LISTENERS_H

#include <stddef.h>

/* Print the ports as "9300, 9301" into buf (returned; "" for none, the rest is
 * cut) from the texts tcp and tcp6 of proc_dir/net. */
const char *listeners_show(const char *proc_dir, char *buf, size_t size);

/* The same from one such text, appended to what buf holds. Pure. */
void listeners_add(const char *text, char *buf, size_t size);

#endif
