/* Readers of the kernel's descriptions of a machine: pure functions from text
 * to values, for facts.c. Texts are [text, text + len) and need no end. */
#ifndef PITWALL_AGENT_GATE_HOSTINFO_H
#define PITWALL_AGENT_GATE_HOSTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hostinfo_cpu {
    uint32_t cpus;   /* "processor" lines */
    char model[128]; /* of the first; "" where there is none (ARM) */
    char mhz[16];    /* of the first */
    bool hypervisor; /* CPUID says that this is a guest */
};

/* /proc/cpuinfo. */
void hostinfo_cpu(const char *text, size_t len, struct hostinfo_cpu *out);

/* Bytes of "key:  N kB" in /proc/meminfo; false where it is missing or does
 * not fit 64 bits. */
bool hostinfo_meminfo(const char *text, size_t len, const char *key,
                      uint64_t *bytes);

/* Value of KEY=value or KEY="value" in /etc/os-release, into out; false where
 * it is missing. Longer ones are cut. */
bool hostinfo_os_release(const char *text, size_t len, const char *key,
                         char *out, size_t size);

/* The word in brackets of "always [madvise] never", else the whole first
 * line. */
void hostinfo_choice(const char *text, size_t len, char *out, size_t size);

/* How many numbers a list such as "0-3,8" names; 0 for one that is none. */
uint32_t hostinfo_list(const char *text, size_t len);

#endif
