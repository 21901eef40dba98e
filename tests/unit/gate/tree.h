/* A folder of files that stands for /proc or /sys. */
#ifndef PITWALL_TESTS_UNIT_GATE_TREE_H
#define PITWALL_TESTS_UNIT_GATE_TREE_H

/* Make a folder in /tmp; its path is valid until tree_remove. */
char *tree_make(void);

/* Remove it with all that is in it, and its path. */
void tree_remove(char *root);

/* Write a file (and the folders above it); printf-like content. */
void tree_write(const char *root, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
