package pitwall;

import java.util.Locale;

/** What is counted, by the names of pitwall-target's statistics. */
enum Count {
    DOCS, DOCS_FAILED, REQUESTS, REJECTED, ERRORS, CONNECTIONS, BODY_BYTES,
    READS, READ_BYTES, ZERO_READS, BUFFER_COUNT, BUFFER_BYTES,
    BULK_NS, WAIT_NS, QUEUE_FULL;

    final String label = name().toLowerCase(Locale.ROOT);
}
