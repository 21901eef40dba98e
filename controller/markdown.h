/* Texts of others inside Markdown. */
#ifndef PITWALL_CONTROLLER_MARKDOWN_H
#define PITWALL_CONTROLLER_MARKDOWN_H

#include <stdio.h>

/* Write text so that it stands as it is: no table bar, emphasis or tag begins
 * in it, and it stays on its line. Code between backticks is left. */
void markdown_write(const char *text, FILE *out);

#endif
