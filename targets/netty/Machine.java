package pitwall;

import io.netty.util.concurrent.GlobalEventExecutor;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What the virtual machine tells about itself, and its alarm clock. */
final class Machine {
    /* Of Serial, Parallel and G1; all others are called old. */
    private static final Set<String> YOUNG = Set.of("Copy", "PS Scavenge",
            "G1 Young Generation");

    private static final com.sun.management.OperatingSystemMXBean PROCESS =
            (com.sun.management.OperatingSystemMXBean)
                    ManagementFactory.getOperatingSystemMXBean();

    private Machine() {
    }

    /** Of all its threads since its start. */
    static long cpuNanos() {
        return PROCESS.getProcessCpuTime();
    }

    static MemoryUsage heap() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    }

    /** Collections and milliseconds of them: young, old. */
    static long[][] collections() {
        long[][] sums = new long[2][2];
        for (GarbageCollectorMXBean gc
                : ManagementFactory.getGarbageCollectorMXBeans()) {
            long[] of = sums[YOUNG.contains(gc.getName()) ? 0 : 1];
            of[0] += gc.getCollectionCount();
            of[1] += gc.getCollectionTime();
        }
        return sums;
    }

    static void at(long nanosFromNow, Runnable work) {
        GlobalEventExecutor.INSTANCE.schedule(work, nanosFromNow,
                TimeUnit.NANOSECONDS);
    }
}
