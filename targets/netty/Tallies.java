package pitwall;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** The tallies of all threads, and their sums. */
final class Tallies {
    private final List<Tally> all = new CopyOnWriteArrayList<>();
    private final ThreadLocal<Tally> mine;

    Tallies(Window window) {
        mine = ThreadLocal.withInitial(() -> {
            Tally tally = new Tally(window);
            all.add(tally);
            return tally;
        });
    }

    /** The calling thread's. */
    Tally mine() {
        return mine.get();
    }

    long total(Count count) {
        return all.stream().mapToLong(tally -> tally.total(count)).sum();
    }

    long inWindow(Count count) {
        return all.stream().mapToLong(tally -> tally.inWindow(count)).sum();
    }

    Histogram inWindow(Function<Tally.Windowed, Histogram> which) {
        Histogram sum = new Histogram();
        for (Tally tally : all) {
            Tally.Windowed w = tally.windowed();
            if (w != null) {
                sum.merge(which.apply(w));
            }
        }
        return sum;
    }
}
