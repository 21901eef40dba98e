package pitwall;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What all connections share. */
final class Node {
    private static final int INDICES_MAX = 1024;

    final Options options;
    final Tallies tallies;
    final Pool pool;
    final Window window;
    private final Set<String> indices = ConcurrentHashMap.newKeySet();

    Node(Options options) {
        this.options = options;
        window = new Window();
        tallies = new Tallies(window);
        pool = new Pool(options.bulkThreads, options.bulkQueue);
    }

    boolean hasIndex(String name) {
        return indices.contains(name);
    }

    /** False: there is one of this name, or there are too many. */
    boolean addIndex(String name) {
        return indices.size() < INDICES_MAX && indices.add(name);
    }

    boolean removeIndex(String name) {
        return indices.remove(name);
    }
}
