package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/** One response in JSON, with the documents that it acknowledges. */
final class Answer {
    final HttpResponseStatus status;
    final ByteBuf body;
    final int docs;
    final int docsFailed;

    Answer(HttpResponseStatus status, ByteBuf body, int docs, int docsFailed) {
        this.status = status;
        this.body = body;
        this.docs = docs;
        this.docsFailed = docsFailed;
    }

    static Answer ok(String json) {
        return new Answer(HttpResponseStatus.OK, Unpooled.wrappedBuffer(
                json.getBytes(StandardCharsets.UTF_8)), 0, 0);
    }

    /** In the shape of Elasticsearch's errors. */
    static Answer error(HttpResponseStatus status, String type, String reason) {
        String cause = "\"type\":\"" + type + "\",\"reason\":\""
                + escaped(reason) + "\"";
        String json = "{\"error\":{\"root_cause\":[{" + cause + "}]," + cause
                + "},\"status\":" + status.code() + "}";
        return new Answer(status, Unpooled.wrappedBuffer(
                json.getBytes(StandardCharsets.UTF_8)), 0, 0);
    }

    static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
