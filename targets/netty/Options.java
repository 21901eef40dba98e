package pitwall;

import java.nio.file.Path;

/** The command line: pitwall-target's names and defaults. */
final class Options {
    static final String HELP = String.join("\n",
        "Usage: java ... pitwall.Server [OPTION...]",
        "An ingest server on Netty, for measuring beside pitwall-target.",
        "",
        "  --listen ADDRESS:PORT    Where to listen (127.0.0.1:9200); port 0",
        "                           takes a free one, which is printed",
        "  --threads N              Event loops (CPUs)",
        "  --predictor SPEC         Size of each receive buffer: fixed:SIZE,",
        "                           adaptive:MIN-MAX or",
        "                           adaptive:MIN-INITIAL-MAX (fixed:64k)",
        "  --reads-per-wakeup 1|16  Reads of one connection before the next",
        "                           has its turn (1)",
        "  --initial-buffer CHARS   Of a connection's header decoder (128)",
        "  --max-components N       Slices of a body before they are copied",
        "                           into one array (1024)",
        "  --body-copy on|off       Copy every complete body into one array,",
        "                           as Elasticsearch 5 and 6 do (off)",
        "  --bulk-threads N         Threads that process bulk requests (CPUs)",
        "  --bulk-queue N           Requests that may wait for them before one",
        "                           is refused with 429 (200)",
        "  --parse-work N           Copy every line and make a string for each",
        "                           64 N bytes of it; 0 reads the lines where",
        "                           they are (0)",
        "  --last FILE              Write the counts there when a signal ends",
        "                           the process, as pitwall-target's last word",
        "  --help                   Print this help",
        "",
        "Heap and collector are the JVM's: -Xms, -Xmx, -XX:+UseSerialGC.",
        "Exit: 143 ended by SIGTERM, 1 failed, 2 usage, 3 out of memory.",
        "");

    private static final int CPUS = Runtime.getRuntime().availableProcessors();

    String address = "127.0.0.1";
    int port = 9200;
    int threads = CPUS;
    Predictor predictor = Predictor.parse("fixed:64k");
    int readsPerWakeup = 1;
    int initialBuffer = 128;
    int maxComponents = 1024;
    boolean bodyCopy;
    int bulkThreads = CPUS;
    int bulkQueue = 200;
    int parseWork;
    Path last;
    boolean help;

    /** IllegalArgumentException names the option, what it got and what it
     * accepts. */
    static Options parse(String[] args) {
        Options o = new Options();
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--help")) {
                o.help = true;
                continue;
            }
            int equals = args[i].indexOf('=');
            String name = equals < 0 ? args[i] : args[i].substring(0, equals);
            if (!name.startsWith("--")) {
                throw new IllegalArgumentException("\"" + name
                        + "\": there are only options, see --help");
            }
            if (equals < 0 && i + 1 == args.length) {
                throw new IllegalArgumentException(name + " needs a value, see"
                        + " --help");
            }
            o.set(name, equals < 0 ? args[++i] : args[i].substring(equals + 1));
        }
        return o;
    }

    private void set(String name, String value) {
        switch (name) {
            case "--listen" -> listen(name, value);
            case "--threads" -> threads = count(name, value, 1, 64);
            case "--predictor" -> predictor = Predictor.parse(value);
            case "--reads-per-wakeup" -> readsPerWakeup =
                    word(name, value, "1", "16") ? 1 : 16;
            case "--initial-buffer" -> initialBuffer =
                    count(name, value, 1, 1 << 20);
            case "--max-components" -> maxComponents =
                    count(name, value, 2, 1 << 20);
            case "--body-copy" -> bodyCopy = word(name, value, "on", "off");
            case "--bulk-threads" -> bulkThreads = count(name, value, 1, 64);
            case "--bulk-queue" -> bulkQueue = count(name, value, 1, 1 << 20);
            case "--parse-work" -> parseWork = count(name, value, 0, 1024);
            case "--last" -> last = Path.of(value).toAbsolutePath();
            default -> throw new IllegalArgumentException("unknown option "
                    + name + ", see --help");
        }
    }

    private void listen(String name, String value) {
        int colon = value.lastIndexOf(':');
        if (colon < 1) {
            throw accepted(name, value, "ADDRESS:PORT");
        }
        address = value.substring(0, colon).replaceAll("[\\[\\]]", "");
        port = count(name, value.substring(colon + 1), 0, 65535);
    }

    private static int count(String name, String value, int min, int max) {
        try {
            int n = Integer.parseInt(value);
            if (n >= min && n <= max) {
                return n;
            }
        } catch (NumberFormatException e) {
            /* the same complaint */
        }
        throw accepted(name, value,
                "a whole number from " + min + " to " + max);
    }

    /** Whether value is the first of two words. */
    private static boolean word(String name, String value, String first,
                                String second) {
        if (!value.equals(first) && !value.equals(second)) {
            throw accepted(name, value, first + " or " + second);
        }
        return value.equals(first);
    }

    private static IllegalArgumentException accepted(String name, String value,
                                                     String what) {
        return new IllegalArgumentException(name + " \"" + value
                + "\"; accepted: " + what);
    }
}
