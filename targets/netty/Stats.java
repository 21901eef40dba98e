package pitwall;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Set;

/** What the server tells about itself: one flat object of totals since its
 * start, named as pitwall-target's, and the sizes of its reads. */
final class Stats {
    static final String BANNER = "{\"name\":\"pitwall-netty\","
            + "\"cluster_name\":\"pitwall\",\"version\":{\"number\":\"6.8.0\","
            + "\"build_flavor\":\"pitwall\"},"
            + "\"tagline\":\"You Know, for Search\"}";

    /* Of Serial, Parallel and G1; all others are called old. */
    private static final Set<String> YOUNG = Set.of("Copy", "PS Scavenge",
            "G1 Young Generation");

    private Stats() {
    }

    static String json(Node node) {
        StringBuilder text = new StringBuilder("{");
        for (Count count : Count.values()) {
            put(text, count.label, node.tallies.sum(count));
        }
        put(text, "queued", node.pool.queued());
        heap(text);
        return text.append("\"read_sizes\":")
                .append(node.tallies.readBytes().json()).append('}').toString();
    }

    private static void put(StringBuilder text, String name, long value) {
        text.append('"').append(name).append("\":").append(value).append(',');
    }

    private static void heap(StringBuilder text) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean()
                .getHeapMemoryUsage();
        long[] count = new long[2];
        long[] millis = new long[2];
        for (GarbageCollectorMXBean gc
                : ManagementFactory.getGarbageCollectorMXBeans()) {
            int i = YOUNG.contains(gc.getName()) ? 0 : 1;
            count[i] += gc.getCollectionCount();
            millis[i] += gc.getCollectionTime();
        }
        put(text, "heap_used", heap.getUsed());
        put(text, "heap_max", heap.getMax());
        put(text, "young_count", count[0]);
        put(text, "young_ms", millis[0]);
        put(text, "old_count", count[1]);
        put(text, "old_ms", millis[1]);
    }
}
