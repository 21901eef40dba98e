package pitwall;

import java.util.concurrent.atomic.AtomicLongArray;

/** Sizes, counted log-linearly: exact below 128, above in 64 buckets for
 * each power of two, so that sizes of buffers are a bucket's lowest value. One
 * thread writes, any reads. */
final class Histogram {
    private static final int SUB_BITS = 6;
    private static final int SUB = 1 << SUB_BITS;

    private final AtomicLongArray counts =
            new AtomicLongArray((32 - SUB_BITS) * SUB);

    static int bucket(int value) {
        int shift = Math.max(0, 31 - Integer.numberOfLeadingZeros(value | 1)
                - SUB_BITS);
        return shift * SUB + (value >>> shift);
    }

    static long lowest(int bucket) {
        int shift = Math.max(0, bucket / SUB - 1);
        return (long) (bucket - shift * SUB) << shift;
    }

    void record(int value) {
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
