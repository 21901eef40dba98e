package pitwall;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The action line of a bulk: what is to be done, and the names that it gives.
 * {"index":{"_index":"i","_type":"t","_id":"1"}} */
final class Action {
    /** A piece of a line, inside its quotes if it has some. */
    static final class Name {
        byte[] array;
        int from;
        int to;

        boolean isEmpty() {
            return from == to;
        }

        void clear() {
            from = to = 0;
        }

        void set(byte[] text, int begins, int ends) {
            array = text;
            from = begins;
            to = ends;
        }

        boolean is(byte[] word) {
            return Arrays.equals(array, from, to, word, 0,
                    word.length);
        }

        @Override
        public String toString() {
            return new String(array, from, to - from, StandardCharsets.UTF_8);
        }
    }

    private static final byte[][] OPS = {
        ascii("index"), ascii("create"), ascii("update"), ascii("delete")};
    private static final int DELETE = 3;
    private static final byte[] INDEX = ascii("_index");
    private static final byte[] TYPE = ascii("_type");
    private static final byte[] ID = ascii("_id");
    private static final int NAME_MAX = 512;

    /** The operation's word, as it stands in answers. */
    byte[] op;
    final Name index = new Name();
    final Name type = new Name();
    final Name id = new Name();

    private final Json json;
    private final Name key = new Name();
    private byte[] text;

    Action(Json json) {
        this.json = json;
    }

    private static byte[] ascii(String word) {
        return word.getBytes(StandardCharsets.US_ASCII);
    }

    boolean isDelete() {
        return op == OPS[DELETE];
    }

    /** Reads the line; null, or what is wrong with it. */
    String read(Lines line) {
        text = line.array;
        index.clear();
        type.clear();
        id.clear();
        json.begin(line.array, line.from, line.to);
        if (!json.pass('{') || !string(key) || !json.pass(':')
                || !operation() || !json.pass('{') || !parameters()
                || !json.pass('}')
                || json.next() >= 0 && !json.fail("text after its end")) {
            return "Malformed action/metadata line [" + line.number + "], "
                    + json.fault;
        }
        return null;
    }

    private boolean operation() {
        for (byte[] word : OPS) {
            if (key.is(word)) {
                op = word;
                return true;
            }
        }
        return json.fail("expected field [create], [delete], [index] or"
                + " [update] but found [" + key + "]");
    }

    private boolean string(Name name) {
        if (!json.pass('"')) {
            return false;
        }
        int from = json.at;
        boolean whole = json.string();
        name.set(text, from, whole ? json.at - 1 : from);
        return whole;
    }

    private boolean parameters() {
        boolean first = true;
        while (json.next() != '}') {
            if (!first && !json.pass(',') || !string(key) || !json.pass(':')
                    || !parameter()) {
                return false;
            }
            first = false;
        }
        return json.pass('}');
    }

    private boolean parameter() {
        Name to = key.is(INDEX) ? index : key.is(TYPE) ? type
                : key.is(ID) ? id : null;
        int b = json.next();
        if (b == '{' || b == '[') {
            return json.fail("expected a simple value for a field");
        }
        if (to == null) {
            return json.value();
        }
        int from = json.at;
        boolean quoted = b == '"';
        if (!json.value()) {
            return false;
        }
        to.set(text, from + (quoted ? 1 : 0), json.at - (quoted ? 1 : 0));
        if (b == 'n') {
            to.clear(); /* null: as if it were not there */
        }
        return to.to - to.from <= NAME_MAX || json.fail("a name of "
                + (to.to - to.from) + " bytes, at most " + NAME_MAX);
    }
}
