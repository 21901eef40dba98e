package pitwall;

import java.util.concurrent.atomic.AtomicLongArray;

/** Sizes or times, counted log-linearly: exact below 128, above in 64 buckets
 * for each power of two up to 2^43, so that sizes of buffers are a bucket's
 * lowest value. One thread writes, any reads. */
final class Histogram {
    private static final int SUB_BITS = 6;
    private static final int SUB = 1 << SUB_BITS;
    private static final long MAX = (1L << 43) - 1;

    private final AtomicLongArray counts =
            new AtomicLongArray((44 - SUB_BITS) * SUB);

    static int bucket(long value) {
        long v = Math.min(Math.max(value, 0), MAX);
        int shift = Math.max(0, 63 - Long.numberOfLeadingZeros(v | 1)
                - SUB_BITS);
        return shift * SUB + (int) (v >>> shift);
    }

    static long lowest(int bucket) {
        int shift = Math.max(0, bucket / SUB - 1);
        return (long) (bucket - shift * SUB) << shift;
    }

    void record(long value) {
        int i = bucket(value);
        counts.lazySet(i, counts.get(i) + 1);
    }

    void merge(Histogram from) {
        for (int i = 0; i < counts.length(); i++) {
            counts.addAndGet(i, from.counts.get(i));
        }
    }

    /** As JSON, [[lowest value, count], ...], empty ones left out. */
    String json() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < counts.length(); i++) {
            long n = counts.get(i);
            if (n > 0) {
                text.append(text.length() > 1 ? "," : "").append('[')
                        .append(lowest(i)).append(',').append(n).append(']');
            }
        }
        return text.append(']').toString();
    }
}
