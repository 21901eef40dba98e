package pitwall;

/** The measured window, in System.nanoTime(), which on Linux is
 * CLOCK_MONOTONIC; until it is set, from the start on. */
final class Window {
    /** From t0 up to t1. */
    static final class Span {
        final long t0;
        final long t1;

        Span(long t0, long t1) {
            this.t0 = t0;
            this.t1 = t1;
        }

        boolean has(long now) {
            return now >= t0 && now < t1;
        }
    }

    volatile Span span = new Span(System.nanoTime(), Long.MAX_VALUE);
    private volatile long cpuAtT0 = Machine.cpuNanos();
    private volatile long cpuAtT1 = -1;

    /** False: it is over already, or ends before it begins. */
    boolean set(long t0, long t1) {
        long now = System.nanoTime();
        if (t0 >= t1 || t1 <= now) {
            return false;
        }
        cpuAtT1 = -1;
        span = new Span(t0, t1);
        Machine.at(t0 - now, () -> cpuAtT0 = Machine.cpuNanos());
        Machine.at(t1 - now, () -> cpuAtT1 = Machine.cpuNanos());
        return true;
    }

    boolean isWhole() {
        return cpuAtT1 >= 0;
    }

    /** CPU time of the process in it, up to now at most. */
    long cpuNanos() {
        return (isWhole() ? cpuAtT1 : Machine.cpuNanos()) - cpuAtT0;
    }
}
