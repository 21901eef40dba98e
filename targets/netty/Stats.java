package pitwall;

import java.lang.management.MemoryUsage;

/** What the server tells about itself while it runs: one flat object of totals
 * since its start, named as pitwall-target's, and the sizes of its reads. */
final class Stats {
    static final String BANNER = "{\"name\":\"pitwall-netty\","
            + "\"cluster_name\":\"pitwall\",\"version\":{\"number\":\"6.8.0\","
            + "\"build_flavor\":\"pitwall\"},"
            + "\"tagline\":\"You Know, for Search\"}";

    private Stats() {
    }

    static String json(Node node) {
        StringBuilder text = new StringBuilder("{");
        MemoryUsage heap = Machine.heap();
        long[][] collections = Machine.collections();
        for (Count count : Count.values()) {
            put(text, count.label, node.tallies.total(count));
        }
        put(text, "queued", node.pool.queued());
        put(text, "heap_used", heap.getUsed());
        put(text, "heap_max", heap.getMax());
        put(text, "young_count", collections[0][0]);
        put(text, "young_ms", collections[0][1]);
        put(text, "old_count", collections[1][0]);
        put(text, "old_ms", collections[1][1]);
        return text.append("\"read_sizes\":")
                .append(node.tallies.inWindow(w -> w.readBytes).json())
                .append('}').toString();
    }

    static void put(StringBuilder text, String name, long value) {
        text.append('"').append(name).append("\":").append(value).append(',');
    }
}
