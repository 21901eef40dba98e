package pitwall;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.FixedRecvByteBufAllocator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How receive buffers are sized: "fixed:64k", "adaptive:1k-512k" or
 * "adaptive:1k-2k-512k" as Netty's own classes do it. */
final class Predictor {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})([km]?)");
    private static final int MAX = 1 << 30;

    final String spec;
    final boolean fixed;
    final int min;
    final int initial;
    final int max;

    private Predictor(String spec, boolean fixed, int min, int initial,
                      int max) {
        this.spec = spec;
        this.fixed = fixed;
        this.min = min;
        this.initial = initial;
        this.max = max;
    }

    /** IllegalArgumentException: another text. */
    static Predictor parse(String spec) {
        String[] parts = spec.split(":", 2);
        String[] sizes = parts[parts.length - 1].split("-", -1);
        int n = sizes.length;
        int first = size(sizes[0]);
        int middle = size(sizes[n == 3 ? 1 : 0]);
        int last = size(sizes[n - 1]);
        boolean fixed = parts[0].equals("fixed") && n == 1;
        boolean adaptive = parts[0].equals("adaptive") && (n == 2 || n == 3);
        if (parts.length < 2 || !(fixed || adaptive) || first < 1
                || middle < first || last < middle) {
            throw new IllegalArgumentException("--predictor \"" + spec
                    + "\"; accepted: fixed:SIZE, adaptive:MIN-MAX or"
                    + " adaptive:MIN-INITIAL-MAX, sizes from 1 to 1024m");
        }
        return new Predictor(spec, fixed, first, middle, last);
    }

    /** -1: no size. */
    private static int size(String text) {
        Matcher m = SIZE.matcher(text);
        if (!m.matches()) {
            return -1;
        }
        int shift = m.group(2).isEmpty() ? 0 : m.group(2).equals("k") ? 10 : 20;
        long bytes = Long.parseLong(m.group(1)) << shift;
        return bytes <= MAX ? (int) bytes : -1;
    }

    /** An allocator that an application sets reads once a wake-up unless it is
     * told otherwise, whatever the channel would have by default. */
    DefaultMaxMessagesRecvByteBufAllocator allocator(int readsPerWakeup) {
        DefaultMaxMessagesRecvByteBufAllocator a = fixed
                ? new FixedRecvByteBufAllocator(max)
                : new AdaptiveRecvByteBufAllocator(min, initial, max);
        a.maxMessagesPerRead(readsPerWakeup);
        return a;
    }
}
