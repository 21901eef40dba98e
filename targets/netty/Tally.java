package pitwall;

import java.util.concurrent.atomic.AtomicLongArray;

/** What one thread counted since the start: that thread alone writes, any
 * thread may read. */
final class Tally {
    private final AtomicLongArray counts =
            new AtomicLongArray(Count.values().length);
    final Histogram readBytes = new Histogram();

    void add(Count count, long n) {
        int i = count.ordinal();
        counts.lazySet(i, counts.get(i) + n);
    }

    long get(Count count) {
        return counts.get(count.ordinal());
    }
}
