package pitwall;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** The items of a bulk's answer, in Elasticsearch's shape. */
final class Items {
    private static final byte[] DIGITS = ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            + "abcdefghijklmnopqrstuvwxyz0123456789-_");
    private static final byte[] OPEN = ascii("{\"");
    private static final byte[] INDEX = ascii("\":{\"_index\":\"");
    private static final byte[] TYPE = ascii("\",\"_type\":\"");
    private static final byte[] ID = ascii("\",\"_id\":\"");
    private static final byte[] DONE = ascii("\",\"_version\":1,\"result\":"
            + "\"created\",\"_shards\":{\"total\":1,\"successful\":1,"
            + "\"failed\":0},\"status\":201}}");
    private static final byte[] DELETED = ascii("\",\"_version\":2,\"result\":"
            + "\"deleted\",\"_shards\":{\"total\":1,\"successful\":1,"
            + "\"failed\":0},\"status\":200}}");
    private static final int ID_CHARS = 20;

    /** Keeps what is computed for nothing from being left out. */
    int sink;

    private final Pages out = new Pages();
    private final byte[] index;
    private final byte[] type;

    Items(Route route) {
        index = Answer.escaped(route.index).getBytes(StandardCharsets.UTF_8);
        type = route.type.isEmpty() ? ascii("_doc")
                : Answer.escaped(route.type).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    void done(Action action) {
        names(action);
        out.put(action.isDelete() ? DELETED : DONE);
    }

    void refused(Action action, String reason) {
        names(action);
        out.put(ascii("\",\"status\":400,\"error\":{\"type\":"
                + "\"mapper_parsing_exception\",\"reason\":\"failed to parse\","
                + "\"caused_by\":{\"type\":\"json_parse_exception\","
                + "\"reason\":\"" + reason + "\"}}}}"));
    }

    private void names(Action action) {
        if (!out.isEmpty()) {
            out.put((byte) ',');
        }
        out.put(OPEN);
        out.put(action.op);
        out.put(INDEX);
        put(action.index, index);
        out.put(TYPE);
        put(action.type, type);
        out.put(ID);
        if (action.id.isEmpty()) {
            id();
        } else {
            put(action.id, DIGITS);
        }
    }

    private void put(Action.Name name, byte[] otherwise) {
        if (name.isEmpty()) {
            out.put(otherwise);
        } else {
            out.put(name.array, name.from, name.to);
        }
    }

    /** A new one, of two random numbers. */
    private void id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int half = 0; half < 2; half++) {
            long bits = random.nextLong();
            for (int i = 0; i < ID_CHARS / 2; i++) {
                out.put(DIGITS[(int) (bits >>> 6 * i) & 63]);
            }
        }
    }

    /** The whole answer, which begins with head. */
    ByteBuf end(String head) {
        out.put(ascii("]}"));
        return out.after(ascii(head));
    }

    /** Forgets them. */
    void drop() {
        out.drop();
    }
}
