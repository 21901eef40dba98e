package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One bulk request: every document is parsed, counted and forgotten, and has
 * its item in the answer. */
final class Bulk {
    private static final int FIELD_STEP = 64;
    private static final int FIELD_CHARS = 16;

    private static final byte[] OF_URL = {};

    private final Node node;
    private final Route route;
    private final Json json = new Json();
    private final Action action = new Action(json);
    private final Items items;
    private int docs;
    private int failed;
    private byte[] known = new byte[0]; /* the index named last */

    Bulk(Node node, Route route) {
        this.node = node;
        this.route = route;
        items = new Items(route);
    }

    /** The body is borrowed. */
    Answer run(ByteBuf body) {
        long began = System.nanoTime();
        Lines lines = new Lines(body, node.options.parseWork > 0);
        if (!body.isReadable()) {
            return refusal("parse_exception", "request body is required");
        }
        if (!lines.terminated()) {
            return refusal("illegal_argument_exception",
                    "The bulk request must be terminated by a newline [\\n]");
        }
        while (lines.next()) {
            if (isBlank(lines)) {
                continue;
            }
            String wrong = action.read(lines);
            garbage(lines);
            if (wrong != null) {
                return refusal("illegal_argument_exception", wrong);
            }
            wrong = document(lines);
            if (wrong != null) {
                return refusal("action_request_validation_exception",
                        "Validation Failed: 1: " + wrong + ";");
            }
        }
        if (docs + failed == 0) {
            return refusal("action_request_validation_exception",
                    "Validation Failed: 1: no requests added;");
        }
        String head = "{\"took\":" + (System.nanoTime() - began) / 1_000_000
                + ",\"errors\":" + (failed > 0) + ",\"items\":[";
        return new Answer(HttpResponseStatus.OK, items.end(head), docs, failed);
    }

    private Answer refusal(String type, String reason) {
        items.drop();
        return Answer.error(HttpResponseStatus.BAD_REQUEST, type, reason);
    }

    private static boolean isBlank(Lines line) {
        for (int i = line.from; i < line.to; i++) {
            if (line.array[i] != ' ' && line.array[i] != '\r'
                    && line.array[i] != '\t') {
                return false;
            }
        }
        return true;
    }

    /** The document of the action; null, or why the request is refused. */
    private String document(Lines lines) {
        boolean good = true;
        int begins = 0;
        if (!action.isDelete()) {
            if (!lines.next()) {
                return "source is missing";
            }
            begins = lines.from;
            good = json.document(lines.array, lines.from, lines.to);
            garbage(lines);
        }
        if (action.index.isEmpty() && route.index.isEmpty()) {
            return "index is missing";
        }
        know(action.index);
        if (good) {
            docs++;
            items.done(action);
        } else {
            failed++;
            items.refused(action,
                    json.fault + " at byte " + (json.at - begins));
        }
        return null;
    }

    /** An index is made by its first document. */
    private void know(Action.Name named) {
        if (named.isEmpty() ? known != OF_URL : !named.is(known)) {
            String name = named.isEmpty() ? route.index : named.toString();
            known = named.isEmpty() ? OF_URL
                    : name.getBytes(StandardCharsets.UTF_8);
            node.addIndex(name);
        }
    }

    /** What a parser leaves behind: a list of strings. */
    private void garbage(Lines line) {
        int work = node.options.parseWork;
        if (work == 0) {
            return;
        }
        List<String> fields = new ArrayList<>();
        for (int i = line.from; i + FIELD_CHARS <= line.to;
                i += FIELD_STEP * work) {
            fields.add(new String(line.array, i, FIELD_CHARS,
                    StandardCharsets.ISO_8859_1));
        }
        items.sink += fields.size();
    }
}
