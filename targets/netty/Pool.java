package pitwall;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that process bulk requests, and the bounded queue before them. */
final class Pool {
    private final ThreadPoolExecutor threads;

    Pool(int n, int queue) {
        threads = new ThreadPoolExecutor(n, n, 0, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(queue),
                new DefaultThreadFactory("bulk"));
        threads.prestartAllCoreThreads();
    }

    /** False: too many wait already. */
    boolean take(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    int queued() {
        return threads.getQueue().size();
    }
}
