package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
    private static final int FIRST_BYTES = 8192;

    /** Keeps what is computed for nothing from being left out. */
    int sink;

    private final ByteBuf out = Unpooled.buffer(FIRST_BYTES);
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
        out.writeBytes(action.isDelete() ? DELETED : DONE);
    }

    void refused(Action action, String reason) {
        names(action);
        out.writeBytes(ascii("\",\"status\":400,\"error\":{\"type\":"
                + "\"mapper_parsing_exception\",\"reason\":\"failed to parse\","
                + "\"caused_by\":{\"type\":\"json_parse_exception\","
                + "\"reason\":\"" + reason + "\"}}}}"));
    }

    private void names(Action action) {
        if (out.isReadable()) {
            out.writeByte(',');
        }
        out.writeBytes(OPEN).writeBytes(action.op).writeBytes(INDEX);
        put(action.index, index);
        out.writeBytes(TYPE);
        put(action.type, type);
        out.writeBytes(ID);
        if (action.id.isEmpty()) {
            id();
        } else {
            put(action.id, DIGITS);
        }
    }

    private void put(Action.Name name, byte[] otherwise) {
        if (name.isEmpty()) {
            out.writeBytes(otherwise);
        } else {
            out.writeBytes(name.array, name.from, name.to - name.from);
        }
    }

    /** A new one, of two random numbers. */
    private void id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int half = 0; half < 2; half++) {
            long bits = random.nextLong();
            for (int i = 0; i < ID_CHARS / 2; i++) {
                out.writeByte(DIGITS[(int) (bits >>> 6 * i) & 63]);
            }
        }
    }

    /** The whole list, closed, with the answer that it ends. */
    ByteBuf end() {
        return out.writeBytes(ascii("]}"));
    }
}
