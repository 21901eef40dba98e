package pitwall;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** What is left behind when the process is ended by a signal: the counts of
 * the window and of all, in the shape of pitwall-target's last word. */
final class LastWord {
    private static final List<Count> TOTALS = List.of(Count.DOCS,
            Count.DOCS_FAILED, Count.REQUESTS, Count.REJECTED, Count.ERRORS,
            Count.CONNECTIONS, Count.BODY_BYTES, Count.READS, Count.READ_BYTES);

    private final Node node;

    LastWord(Node node) {
        this.node = node;
    }

    void write(Path path) {
        try {
            Path half = path.resolveSibling(path.getFileName() + ".part");
            Files.writeString(half, json());
            Files.move(half, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            System.err.println("pitwall-netty: --last " + path + ": " + e);
        }
    }

    String json() {
        Tallies tallies = node.tallies;
        Window.Span span = node.window.span;
        StringBuilder text = new StringBuilder("{\"version\":1,"
                + "\"outcome\":\"ok\",\"partial\":" + !node.window.isWhole()
                + ",\"total\":{");
        for (Count count : TOTALS) {
            Stats.put(text, count.label, tallies.total(count));
        }
        close(text, "},\"window\":{");
        Stats.put(text, "t0_ns", span.t0);
        Stats.put(text, "t1_ns", Math.min(span.t1, System.nanoTime()));
        Stats.put(text, "cpu_ns", node.window.cpuNanos());
        for (Count count : Count.values()) {
            Stats.put(text, count.label, tallies.inWindow(count));
        }
        close(text, "}");
        histogram(text, "read_bytes", tallies.inWindow(w -> w.readBytes));
        histogram(text, "reads_per_loop",
                tallies.inWindow(w -> w.readsPerLoop));
        histogram(text, "service_ns", tallies.inWindow(w -> w.serviceNanos));
        return text.append(",\"settings\":{\"predictor\":\"")
                .append(node.options.predictor.spec).append("\"}}\n")
                .toString();
    }

    private static void histogram(StringBuilder text, String name,
                                  Histogram histogram) {
        text.append(",\"").append(name).append("\":").append(histogram.json());
    }

    /** In place of the last comma. */
    private static void close(StringBuilder text, String with) {
        text.setLength(text.length() - 1);
        text.append(with);
    }
}
