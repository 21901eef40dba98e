package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The parts of the target netty, without a socket. Prints a line for each
 * case; the first that fails ends it. */
public final class NettyTest {
    private static final int MUTATIONS = 20_000;
    private static final long HOUR = 3_600_000_000_000L;

    private NettyTest() {
    }

    public static void main(String[] args) {
        histogramBucketsBeginAtPowersOfTwo();
        predictorsAreReadAsTheOtherTargetReadsThem();
        optionsSayWhatTheyAccept();
        jsonIsStrict();
        linesAreTheSameWhereverTheBodyIsCut();
        linesWithinOneBufferAreNotCopied();
        bulksCountWhatTheyTakeAndRefuse();
        bulksThatAreBrokenAreRefusedWhole();
        routesAreElasticsearchs();
        talliesTellTheWindowFromTheRest();
        windowsAreReadStrictly();
        lastWordsHaveTheOtherTargetsShape();
        anyBytesAreAnswered();
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            System.err.println("FAILED: " + what);
            System.exit(1);
        }
    }

    private static void passed(String name) {
        System.out.println("ok " + name);
    }

    private static ByteBuf body(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void histogramBucketsBeginAtPowersOfTwo() {
        for (int size : new int[] {1, 100, 127, 128, 1024, 65536, 1 << 30}) {
            check(Histogram.lowest(Histogram.bucket(size)) == size,
                    "lowest of " + size);
        }
        /* 64 buckets from 65536 to 131071: 1024 wide */
        check(Histogram.lowest(Histogram.bucket(66559)) == 65536, "66559");
        check(Histogram.lowest(Histogram.bucket(66560)) == 66560, "66560");
        Histogram h = new Histogram();
        h.record(1448);
        h.record(1448);
        h.record(65536);
        /* 1024 to 2047: 16 wide, 1448 = 1024 + 26 x 16 + 8 */
        check(h.json().equals("[[1440,2],[65536,1]]"), h.json());
        passed("histogram");
    }

    private static void predictorsAreReadAsTheOtherTargetReadsThem() {
        Predictor p = Predictor.parse("adaptive:1k-512k");
        check(!p.fixed && p.min == 1024 && p.initial == 1024
                && p.max == 524288, "adaptive:1k-512k");
        p = Predictor.parse("adaptive:1k-2k-1m");
        check(p.initial == 2048 && p.max == 1048576, "adaptive:1k-2k-1m");
        p = Predictor.parse("fixed:64k");
        check(p.fixed && p.max == 65536, "fixed:64k");
        for (String bad : new String[] {"", "64k", "fixed:", "fixed:0",
            "fixed:1k-2k", "adaptive:4k", "adaptive:4k-1k", "fixed:2000m",
            "adaptive:1k-2k-3k-4k", "soon:1k", "fixed:1k "}) {
            try {
                Predictor.parse(bad);
                check(false, "takes predictor \"" + bad + "\"");
            } catch (IllegalArgumentException e) {
                check(e.getMessage().contains("accepted: fixed:SIZE"), bad);
            }
        }
        passed("predictor");
    }

    private static void refuses(String says, String... args) {
        try {
            Options.parse(args);
            check(false, "takes " + String.join(" ", args));
        } catch (IllegalArgumentException e) {
            check(e.getMessage().contains(says), e.getMessage());
        }
    }

    private static void optionsSayWhatTheyAccept() {
        Options o = Options.parse(new String[] {"--listen", "[::1]:9201",
            "--body-copy=on", "--reads-per-wakeup", "16"});
        check(o.address.equals("::1") && o.port == 9201 && o.bodyCopy
                && o.readsPerWakeup == 16 && o.bulkQueue == 200, "options");
        refuses("--threads \"0\"; accepted: a whole number from 1 to 64",
                "--threads", "0");
        refuses("--body-copy \"yes\"; accepted: on or off", "--body-copy=yes");
        refuses("unknown option --heap", "--heap", "1g");
        refuses("--threads needs a value", "--threads");
        refuses("\"x\": there are only options", "x");
        refuses("accepted: ADDRESS:PORT", "--listen", "9200");
        passed("options");
    }

    private static String fault(String text) {
        Json json = new Json();
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return json.document(bytes, 0, bytes.length) ? "" : json.fault;
    }

    private static void jsonIsStrict() {
        String[] good = {"{}", " {\"a\" : [1,-0.5e+3,true,false,null,\"x\"]}\r",
            "{\"a\":{\"b\":[[],{}]}}", "{\"\\u00e4\\ud83d\\ude00\\n\":\"\"}",
            "{\"a\":\"\303\244\360\237\230\200\"}"};
        String[][] bad = {{"", "empty"}, {"[]", "not an object"},
            {"{\"a\":1", "end of the document"}, {"{\"a\" 1}", "character"},
            {"{\"a\":1,}", "character"}, {"{}x", "after the document's end"},
            {"{\"a\":01}", "number"}, {"{\"a\":1.}", "number"},
            {"{\"a\":-}", "number"}, {"{\"a\":\"\\x\"}", "escape"},
            {"{\"a\":\"\\ud800\"}", "escape"}, {"{\"a\":\"\\u12\"}", "escape"},
            {"{\"a\":\"\t\"}", "control"}, {"{\"a\":\"\300\200\"}", "UTF-8"},
            {"{\"a\":\"\355\240\200\"}", "UTF-8"}, {"{\"a\":tru}", "character"},
            {"{\"a\":" + "[".repeat(300) + "]".repeat(300) + "}", "levels"}};
        for (String text : good) {
            check(fault(text).isEmpty(), text + ": " + fault(text));
        }
        for (String[] text : bad) {
            check(fault(text[0]).contains(text[1]),
                    text[0] + ": " + fault(text[0]));
        }
        passed("json");
    }

    private static List<String> lines(ByteBuf body, boolean copies) {
        List<String> found = new ArrayList<>();
        Lines lines = new Lines(body, copies);
        while (lines.next()) {
            found.add(new String(lines.array, lines.from, lines.to - lines.from,
                    StandardCharsets.UTF_8));
        }
        check(lines.number == found.size(), "numbers of lines");
        return found;
    }

    /** Text in three buffers, cut at two places. */
    private static ByteBuf cut(String text, int first, int second) {
        CompositeByteBuf whole = Unpooled.compositeBuffer(1024);
        whole.addComponent(true, body(text.substring(0, first)));
        whole.addComponent(true, body(text.substring(first, second)));
        whole.addComponent(true, body(text.substring(second)));
        return whole;
    }

    private static void linesAreTheSameWhereverTheBodyIsCut() {
        String text = "one\n\ntwo, longer\nthree\nrest";
        List<String> expected = List.of("one", "", "two, longer", "three",
                "rest");
        for (int i = 0; i <= text.length(); i++) {
            for (int j = i; j <= text.length(); j++) {
                check(lines(cut(text, i, j), false).equals(expected)
                        && lines(cut(text, i, j), true).equals(expected),
                        "cut at " + i + " and " + j);
            }
        }
        passed("lines");
    }

    private static void linesWithinOneBufferAreNotCopied() {
        ByteBuf one = body("first\nsecond\n");
        CompositeByteBuf whole = Unpooled.compositeBuffer(16);
        whole.addComponent(true, one.retainedSlice(0, 8));
        whole.addComponent(true, one.retainedSlice(8, 5));
        Lines lines = new Lines(whole, false);
        check(lines.next() && lines.next() && lines.array == one.array()
                && lines.from == 6 && lines.to == 12, "second is in place");
        lines = new Lines(whole, true);
        check(lines.next() && lines.array != one.array(), "a copy if wanted");
        passed("lines in place");
    }

    private static Answer answer(ByteBuf body, String path) {
        Node node = new Node(Options.parse(new String[] {"--bulk-threads",
            "1"}));
        return new Bulk(node, Route.of(HttpMethod.POST, path)).run(body);
    }

    private static String text(Answer a) {
        return a.body.toString(StandardCharsets.UTF_8);
    }

    private static void bulksCountWhatTheyTakeAndRefuse() {
        String three = "{\"index\":{\"_index\":\"i\",\"_id\":\"1\"}}\n{}\n"
                + "{\"create\":{\"_type\":\"t\"}}\n{\"a\":}\n\n"
                + "{\"delete\":{\"_id\":7}}\n";
        Answer a = answer(body(three), "/u/_bulk");
        check(a.docs == 2 && a.docsFailed == 1 && a.status.code() == 200,
                a.docs + " taken, " + a.docsFailed + " refused");
        check(text(a).contains("\"errors\":true,\"items\":[{\"index\":{"
                + "\"_index\":\"i\",\"_type\":\"_doc\",\"_id\":\"1\","
                + "\"_version\":1,\"result\":\"created\""), text(a));
        check(text(a).contains("{\"create\":{\"_index\":\"u\",\"_type\":\"t\""),
                text(a));
        check(text(a).contains("unexpected character at byte 5\""), text(a));
        check(text(a).endsWith("\"_id\":\"7\",\"_version\":2,\"result\":"
                + "\"deleted\",\"_shards\":{\"total\":1,\"successful\":1,"
                + "\"failed\":0},\"status\":200}}]}"), text(a));
        passed("bulk");
    }

    private static void bulksThatAreBrokenAreRefusedWhole() {
        String[][] bad = {{"", "request body is required"},
            {"{\"index\":{}}\n{}", "must be terminated by a newline"},
            {"\n", "no requests added"},
            {"{\"index\":{\"_index\":\"i\"}}\n", "source is missing"},
            {"{\"indx\":{}}\n{}\n", "line [1], expected field [create]"},
            {"{\"index\":{\"_id\":[]}}\n{}\n", "expected a simple value"},
            {"{\"index\":{\"_index\":\"i\"}}\n{}\nnonsense\n{}\n", "line [3]"},
            {"{\"index\":{}}\n{}\n", "index is missing"}};
        for (String[] request : bad) {
            Answer a = answer(body(request[0]), "/_bulk");
            check(a.status.code() == 400 && a.docs == 0
                    && text(a).contains(request[1]), text(a));
        }
        passed("broken bulk");
    }

    private static void routesAreElasticsearchs() {
        check(Route.of(HttpMethod.POST, "/_bulk?refresh=1").kind
                == Route.Kind.BULK, "_bulk");
        Route r = Route.of(HttpMethod.PUT, "//i/t/_bulk");
        check(r.kind == Route.Kind.BULK && r.index.equals("i")
                && r.type.equals("t"), "i/t/_bulk");
        check(Route.of(HttpMethod.GET, "/").kind == Route.Kind.BANNER, "/");
        check(Route.of(HttpMethod.POST, "/i/_refresh").kind
                == Route.Kind.SHARDS, "_refresh");
        check(Route.of(HttpMethod.DELETE, "/i").kind == Route.Kind.DELETE, "i");
        check(Route.of(HttpMethod.GET, "/_bulk").kind == Route.Kind.NONE,
                "GET _bulk");
        check(Route.of(HttpMethod.GET, "").kind == Route.Kind.BANNER, "none");
        passed("routes");
    }

    private static void talliesTellTheWindowFromTheRest() {
        Window window = new Window();
        Tally tally = new Tally(window);
        long now = System.nanoTime();
        tally.add(Count.DOCS, 5, now);
        check(tally.inWindow(Count.DOCS) == 5, "all of it is window at first");
        check(window.set(now + HOUR, now + 2 * HOUR), "a window to come");
        check(tally.windowed() == null && tally.inWindow(Count.DOCS) == 0,
                "which begins at zero");
        tally.add(Count.DOCS, 7, now + HOUR - 1);
        tally.add(Count.DOCS, 11, now + HOUR);
        tally.add(Count.DOCS, 13, now + 2 * HOUR - 1);
        tally.add(Count.DOCS, 17, now + 2 * HOUR);
        check(tally.inWindow(Count.DOCS) == 24, "11 + 13");
        check(tally.total(Count.DOCS) == 53, "5 + 7 + 11 + 13 + 17");
        check(tally.within(now) == null, "no histogram before it");
        passed("tallies");
    }

    private static int status(String body) {
        return Route.of(HttpMethod.POST, "/_pitwall/window")
                .answer(NODE, body(body)).status.code();
    }

    private static void windowsAreReadStrictly() {
        long now = System.nanoTime();
        for (String bad : new String[] {"", "{}", "{\"t0_ns\":1,\"t1_ns\":2}",
            "{\"t0_ns\":9,\"t1_ns\":8}", "{\"t0_ns\":-1,\"t1_ns\":"
            + (now + HOUR) + "}", "{\"t0_ns\":1,\"t1_ns\":9999999999999999999}",
            " ".repeat(300)}) {
            check(status(bad) == 400, "takes window " + bad);
        }
        check(status("{\"t0_ns\": " + now + ", \"t1_ns\": " + (now + HOUR)
                + "}\n") == 200, "a window");
        passed("windows");
    }

    private static void lastWordsHaveTheOtherTargetsShape() {
        Node node = new Node(Options.parse(new String[] {"--predictor",
            "fixed:32k", "--bulk-threads", "1"}));
        Tally tally = node.tallies.mine();
        long now = System.nanoTime();
        tally.add(Count.DOCS, 3, now);
        tally.within(now).readBytes.record(32768);
        String json = new LastWord(node).json();
        check(fault(json).isEmpty(), fault(json) + ": " + json);
        check(json.contains("\"partial\":true,\"total\":{\"docs\":3,"), json);
        check(json.contains("\"read_bytes\":[[32768,1]],\"reads_per_loop\":[]"
                + ",\"service_ns\":[],\"settings\":{\"predictor\":"
                + "\"fixed:32k\"}}"), json);
        passed("last word");
    }

    /** Bulks with bytes changed, cut anywhere: always an answer, and never more
     * documents than lines. */
    private static void anyBytesAreAnswered() {
        Random random = new Random(1);
        byte[] seed = ("{\"index\":{\"_index\":\"i\",\"_id\":\"1\"}}\n"
                + "{\"a\":[1.5e3,\"\\ud83d\\ude00 \303\244\",null]}\n"
                + "{\"delete\":{\"_id\":\"2\"}}\n").getBytes(
                StandardCharsets.ISO_8859_1);
        byte[] letters = "{}[]\",:\\u\n\r0aE+-.".getBytes(
                StandardCharsets.US_ASCII);
        for (int n = 0; n < MUTATIONS; n++) {
            byte[] bytes = seed.clone();
            for (int k = random.nextInt(4); k >= 0; k--) {
                bytes[random.nextInt(bytes.length)] = random.nextBoolean()
                        ? (byte) random.nextInt(256)
                        : letters[random.nextInt(letters.length)];
            }
            int at = random.nextInt(bytes.length);
            CompositeByteBuf whole = Unpooled.compositeBuffer(16);
            whole.addComponent(true, Unpooled.copiedBuffer(bytes, 0, at));
            whole.addComponent(true, Unpooled.copiedBuffer(bytes, at,
                    bytes.length - at));
            Bulk bulk = new Bulk(NODE, ROUTE);
            Answer a = bulk.run(whole);
            check(a.docs + a.docsFailed <= bytes.length / 2
                    && a.body.isReadable(), "mutation " + n);
            a.body.release();
            whole.release();
        }
        passed("mutations");
        System.exit(0); /* the pools' threads wait */
    }

    private static final Node NODE = new Node(Options.parse(
            new String[] {"--parse-work", "1"}));
    private static final Route ROUTE = Route.of(HttpMethod.POST, "/u/_bulk");
}
