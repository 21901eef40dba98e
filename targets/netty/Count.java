package pitwall;

import java.util.Locale;

/** What is counted, by the names of pitwall-target's statistics. */
enum Count {
    DOCS, DOCS_FAILED, REQUESTS, REJECTED, ERRORS, CONNECTIONS,
    READS, READ_BYTES, ZERO_READS, BUFFER_COUNT, BUFFER_BYTES;

    final String label = name().toLowerCase(Locale.ROOT);
}
