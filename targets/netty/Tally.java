package pitwall;

import java.util.concurrent.atomic.AtomicLongArray;

/** What one thread counted, since the start and within the window: that thread
 * alone writes, any thread may read. */
final class Tally {
    private static final int COUNTS = Count.values().length;

    private final Window window;
    private final AtomicLongArray total = new AtomicLongArray(COUNTS);
    private volatile Windowed windowed;

    /** What belongs to one window. */
    static final class Windowed {
        private final Window.Span span;
        private final AtomicLongArray counts = new AtomicLongArray(COUNTS);
        final Histogram readBytes = new Histogram();
        final Histogram readsPerLoop = new Histogram();
        final Histogram serviceNanos = new Histogram();

        Windowed(Window.Span span) {
            this.span = span;
        }
    }

    Tally(Window window) {
        this.window = window;
        windowed = new Windowed(window.span);
    }

    private static void plus(AtomicLongArray counts, Count count, long n) {
        int i = count.ordinal();
        counts.lazySet(i, counts.get(i) + n);
    }

    /** What of the window now belongs to; null: to none. A new window begins
     * at zero. */
    Windowed within(long now) {
        Window.Span span = window.span;
        if (windowed.span != span) {
            windowed = new Windowed(span);
        }
        return span.has(now) ? windowed : null;
    }

    void add(Count count, long n, long now) {
        plus(total, count, n);
        Windowed within = within(now);
        if (within != null) {
            plus(within.counts, count, n);
        }
    }

    long total(Count count) {
        return total.get(count.ordinal());
    }

    /** Of the current window; null: nothing. */
    Windowed windowed() {
        Windowed w = windowed;
        return w.span == window.span ? w : null;
    }

    long inWindow(Count count) {
        Windowed w = windowed();
        return w == null ? 0 : w.counts.get(count.ordinal());
    }
}
