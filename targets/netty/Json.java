package pitwall;

/** A strict validator of JSON texts (RFC 8259), as pitwall-target has one:
 * UTF-8 and escapes are checked, levels limited, nothing is extracted. */
final class Json {
    static final int DEPTH_MAX = 256;

    /** Where it stands; after a fault, where that is. */
    int at;
    /** What is wrong; null: nothing. */
    String fault;

    private byte[] text;
    private int end;
    private int depth;

    /** Begins with array[from, to). */
    void begin(byte[] array, int from, int to) {
        text = array;
        at = from;
        end = to;
        depth = 0;
        fault = null;
    }

    /** Whether array[from, to) is one object and no more. */
    boolean document(byte[] array, int from, int to) {
        begin(array, from, to);
        int first = next();
        if (first < 0) {
            return fail("the document is empty");
        }
        if (!value()) {
            return false;
        }
        if (next() >= 0) {
            return fail("text after the document's end");
        }
        return first == '{' || fail("not an object");
    }

    boolean fail(String what) {
        fault = what;
        return false;
    }

    /** Passes blanks; the byte that follows, -1: none. */
    int next() {
        while (at < end) {
            byte b = text[at];
            if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                return b & 0xff;
            }
            at++;
        }
        return -1;
    }

    /** Passes one byte, which has to be b. */
    boolean pass(char b) {
        int found = next();
        if (found != b) {
            return fail(found < 0 ? "unexpected end of the document"
                    : "unexpected character");
        }
        at++;
        return true;
    }

    boolean value() {
        int b = next();
        switch (b) {
            case -1:
                return fail("unexpected end of the document");
            case '{':
                return members('}');
            case '[':
                return members(']');
            case '"':
                at++;
                return string();
            case 't':
                return word("true");
            case 'f':
                return word("false");
            case 'n':
                return word("null");
            default:
                return b == '-' || isDigit(b) ? number()
                        : fail("unexpected character");
        }
    }

    private boolean members(char close) {
        if (++depth > DEPTH_MAX) {
            return fail("more than 256 levels");
        }
        at++;
        if (next() == close) {
            at++;
            depth--;
            return true;
        }
        do {
            if (close == '}' && !name()) {
                return false;
            }
            if (!value()) {
                return false;
            }
        } while (comma());
        depth--;
        return pass(close);
    }

    private boolean comma() {
        boolean there = next() == ',';
        if (there) {
            at++;
        }
        return there;
    }

    /** A member's name and colon. */
    private boolean name() {
        return pass('"') && string() && pass(':');
    }

    /** The rest of a string, behind its opening quote. */
    boolean string() {
        while (at < end) {
            byte b = text[at];
            if (b == '"') {
                at++;
                return true;
            }
            if (b >= ' ' && b != '\\') {
                at++;
            } else if (b == '\\' ? !escape() : b < 0 ? !utf8()
                    : !fail("control character in a string")) {
                return false;
            }
        }
        return fail("unexpected end of the document");
    }

    private boolean escape() {
        if (end - at < 2) {
            return fail("unexpected end of the document");
        }
        byte kind = text[at + 1];
        if (kind != 'u') {
            at += 2;
            return "\"\\/bfnrt".indexOf(kind) >= 0
                    || fail("invalid escape in a string");
        }
        int high = hex4(at + 2);
        at += 6;
        if (high < 0xd800 || high > 0xdfff) {
            return high >= 0 || fail("invalid escape in a string");
        }
        int low = end - at > 6 && text[at] == '\\' && text[at + 1] == 'u'
                ? hex4(at + 2) : -1;
        at = Math.min(at + 6, end);
        return high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff
                || fail("invalid escape in a string");
    }

    /** -1: no four digits. */
    private int hex4(int from) {
        int value = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = i < end ? Character.digit(text[i], 16) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    /** A sequence above 0x7f (RFC 3629). */
    private boolean utf8() {
        int lead = text[at] & 0xff;
        int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        int low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        int high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (lead < 0xc2 || lead > 0xf4 || end - at <= more) {
            return fail("invalid UTF-8 in a string");
        }
        for (int i = 1; i <= more; i++) {
            int b = text[at + i] & 0xff;
            if (b < low || b > high) {
                return fail("invalid UTF-8 in a string");
            }
            low = 0x80;
            high = 0xbf;
        }
        at += more + 1;
        return true;
    }

    private boolean number() {
        if (text[at] == '-') {
            at++;
        }
        boolean zero = at < end && text[at] == '0';
        int first = at;
        if (!digits() || zero && at - first > 1) {
            return fail("malformed number");
        }
        if (at < end && text[at] == '.') {
            at++;
            if (!digits()) {
                return fail("malformed number");
            }
        }
        if (at < end && (text[at] | 0x20) == 'e') {
            at++;
            if (at < end && (text[at] == '+' || text[at] == '-')) {
                at++;
            }
            if (!digits()) {
                return fail("malformed number");
            }
        }
        return true;
    }

    private static boolean isDigit(int b) {
        return b >= '0' && b <= '9';
    }

    /** Passes digits; whether there was one. */
    private boolean digits() {
        int first = at;
        while (at < end && isDigit(text[at])) {
            at++;
        }
        return at > first;
    }

    private boolean word(String word) {
        for (int i = 0; i < word.length(); i++, at++) {
            if (at == end || text[at] != word.charAt(i)) {
                return fail("unexpected character");
            }
        }
        return true;
    }
}
