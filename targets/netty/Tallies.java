package pitwall;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The tallies of all event loops, and their sums. */
final class Tallies {
    private final List<Tally> all = new CopyOnWriteArrayList<>();
    private final ThreadLocal<Tally> mine = ThreadLocal.withInitial(() -> {
        Tally tally = new Tally();
        all.add(tally);
        return tally;
    });

    /** The calling thread's. */
    Tally mine() {
        return mine.get();
    }

    long sum(Count count) {
        long sum = 0;
        for (Tally tally : all) {
            sum += tally.get(count);
        }
        return sum;
    }

    Histogram readBytes() {
        Histogram sum = new Histogram();
        for (Tally tally : all) {
            sum.merge(tally.readBytes);
        }
        return sum;
    }
}
