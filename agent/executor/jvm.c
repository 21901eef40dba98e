/* Times in the log are System.nanoTime(), which is CLOCK_MONOTONIC on Linux, so
 * that lines belong to the window or not without a guess. The recording is kept
 * below 512 MiB on disk by dropping its oldest part; its stacks, which cost
 * most, are left out. */
#include "agent/executor/jvm.h"

#include <stdio.h>
#include <string.h>

#include "agent/executor/gc_log.h"
#include "agent/executor/recording.h"
#include "agent/executor/target_text.h"

#define PLACE       "{{jvm}}"
#define SETTINGS    JVM_SETTINGS_NAME
#define FOLDER_LONG 512u /* bytes; below the options' room by far */

const char jvm_settings[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<configuration version=\"2.0\" label=\"pitwall\">\n"
    "  <event name=\"jdk.ObjectAllocationInNewTLAB\">\n"
    "    <setting name=\"enabled\">true</setting>\n"
    "    <setting name=\"stackTrace\">false</setting>\n"
    "  </event>\n"
    "  <event name=\"jdk.ObjectAllocationOutsideTLAB\">\n"
    "    <setting name=\"enabled\">true</setting>\n"
    "    <setting name=\"stackTrace\">false</setting>\n"
    "  </event>\n"
    "  <event name=\"jdk.GarbageCollection\">\n"
    "    <setting name=\"enabled\">true</setting>\n"
    "    <setting name=\"threshold\">0 ms</setting>\n"
    "  </event>\n"
    "  <event name=\"jdk.Compilation\">\n"
    "    <setting name=\"enabled\">true</setting>\n"
    "    <setting name=\"threshold\">0 ms</setting>\n"
    "  </event>\n"
    "</configuration>\n";

bool jvm_placed(const struct target_def *def)
{
    const struct jv *argv = jv_get(def->doc, "argv");
    const struct jv *env = jv_get(def->doc, "env");
    const char *key;
    for (size_t i = 0; i < jv_size(argv); i++)
        if (!strcmp(jv_text(jv_at(argv, i), ""), PLACE))
            return true;
    for (size_t i = 0; i < jv_size(env); i++)
        if (strstr(jv_text(jv_member(env, i, &key), ""), PLACE))
            return true;
    return false;
}

enum err jvm_check(const struct target_def *def, struct why *why)
{
    static const char *const taken[] = {GC_LOG_NAME, RECORDING_NAME,
                                        JVM_SETTINGS_NAME};
    const struct jv *v = jv_get(jv_get(def->doc, "env"), JVM_OPTIONS);
    if (v && !jvm_placed(def))
        return target_text_refuse(
            v, "a text with " PLACE " in it, where the options of \"jvm\" go",
            why);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if ((v = jv_get(jv_get(def->doc, "files"), taken[i])))
            return target_text_refuse(
                v, "another name: \"jvm\" makes a file of this one", why);
    return ERR_OK;
}

/* Options part lists at commas, colons and blanks. */
static enum err check_folder(const char *data, struct why *why)
{
    size_t len = strlen(data);
    if (len <= FOLDER_LONG && strspn(data, TARGET_TEXT_LETTERS "/+~@") == len)
        return ERR_OK;
    return err_set(why, ERR_UNSUPPORTED,
                   "\"jvm\": the agent's state folder %.100s; accepted: one of "
                   "at most %u letters, digits, _, -, dots and slashes",
                   data, FOLDER_LONG);
}

/* The i-th option into buf; false past the last. */
static bool option(size_t i, const char *data, char buf[TEMPLATE_VALUE_MAX])
{
    switch (i) {
    case 0:
        (void)snprintf(buf, TEMPLATE_VALUE_MAX,
                       "-Xlog:gc*=info,safepoint=info:file=%s/" GC_LOG_NAME
                       ":uptime,timenanos,level,tags:filecount=0",
                       data);
        return true;
    case 1:
        (void)snprintf(buf, TEMPLATE_VALUE_MAX, "-XX:+UsePerfData");
        return true;
    case 2:
        (void)snprintf(buf, TEMPLATE_VALUE_MAX,
                       "-XX:FlightRecorderOptions=repository=%s/recording,"
                       "maxchunksize=8m",
                       data);
        return true;
    case 3:
        (void)snprintf(
            buf, TEMPLATE_VALUE_MAX,
            "-XX:StartFlightRecording=name=pitwall,settings=%s/" SETTINGS
            ",filename=%s/" RECORDING_NAME ",dumponexit=true,maxsize=512m",
            data, data);
        return true;
    default:
        return false;
    }
}

enum err jvm_put(struct command *c, const char *data, struct why *why)
{
    char text[TEMPLATE_VALUE_MAX];
    enum err e = check_folder(data, why);
    for (size_t i = 0; !e && option(i, data, text); i++)
        if (!command_put(c, "", text))
            e = err_set(why, ERR_RANGE, "the command line is too long");
    return e;
}

enum err jvm_join(char buf[TEMPLATE_VALUE_MAX], const char *data,
                  struct why *why)
{
    char text[TEMPLATE_VALUE_MAX];
    size_t used = 0;
    enum err e = check_folder(data, why);
    buf[0] = '\0';
    for (size_t i = 0; !e && option(i, data, text); i++)
        used += (size_t)snprintf(buf + used, TEMPLATE_VALUE_MAX - used, "%s%s",
                                 i ? " " : "", text);
    return e;
}
