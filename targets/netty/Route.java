package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which of Elasticsearch's requests one is, and what those that are no bulk
 * are answered. There is no index, so there is nothing to refresh or merge. */
final class Route {
    enum Kind { BANNER, BULK, STATS, WINDOW, HEALTH, SHARDS, CREATE, DELETE,
        EXISTS, NONE }

    private static final int WINDOW_MAX = 256;
    private static final Pattern WINDOW = Pattern.compile(
            "\\s*\\{\\s*\"t0_ns\"\\s*:\\s*([0-9]{1,18})\\s*,"
            + "\\s*\"t1_ns\"\\s*:\\s*([0-9]{1,18})\\s*}\\s*");
    private static final String OBSERVERS = "/_pitwall/";

    final Kind kind;
    final String index;
    final String type;
    private final HttpMethod method;
    private final String path;

    private Route(Kind kind, HttpMethod method, String path, String[] names) {
        this.kind = kind;
        this.method = method;
        this.path = path;
        index = names.length > 0 ? names[0] : "";
        type = names.length > 1 ? names[1] : "";
    }

    /** Requests that the measuring itself makes: they are not counted. */
    static boolean isObservers(String uri) {
        return uri.startsWith(OBSERVERS);
    }

    static Route of(HttpMethod method, String uri) {
        String path = uri.split("\\?", 2)[0];
        String[] parts = path.replaceFirst("^/+", "").split("/+");
        int n = parts[0].isEmpty() ? 0 : parts.length;
        String last = n > 0 ? parts[n - 1] : "";
        boolean get = method.equals(HttpMethod.GET);
        boolean put = method.equals(HttpMethod.PUT);
        boolean send = put || method.equals(HttpMethod.POST);
        String[] names = n > 0 && last.startsWith("_")
                ? Arrays.copyOf(parts, n - 1) : parts;
        Kind kind = Kind.NONE;
        if (n == 0 && (get || method.equals(HttpMethod.HEAD))) {
            kind = Kind.BANNER;
        } else if (last.equals("_bulk") && send && n <= 3) {
            kind = Kind.BULK;
        } else if (path.equals(OBSERVERS + "stats") && get) {
            kind = Kind.STATS;
        } else if (path.equals(OBSERVERS + "window")
                && method.equals(HttpMethod.POST)) {
            kind = Kind.WINDOW;
        } else if (path.startsWith("/_cluster/health") && get) {
            kind = Kind.HEALTH;
        } else if (last.matches("_refresh|_flush|_forcemerge") && n <= 2) {
            kind = Kind.SHARDS;
        } else if (n == 1 && !last.startsWith("_")) {
            kind = put ? Kind.CREATE
                    : method.equals(HttpMethod.DELETE) ? Kind.DELETE
                    : method.equals(HttpMethod.HEAD) ? Kind.EXISTS : Kind.NONE;
        }
        return new Route(kind, method, path, names);
    }

    /** What any but a bulk is answered; the body is borrowed. */
    Answer answer(Node node, ByteBuf body) {
        return switch (kind) {
            case BANNER -> Answer.ok(Stats.BANNER);
            case STATS -> Answer.ok(Stats.json(node));
            case WINDOW -> window(node, body);
            case HEALTH -> Answer.ok("{\"cluster_name\":\"pitwall\",\"status\":"
                    + "\"green\",\"timed_out\":false,\"number_of_nodes\":1,"
                    + "\"active_shards\":0,\"relocating_shards\":0}");
            case SHARDS -> Answer.ok("{\"_shards\":{\"total\":0,"
                    + "\"successful\":0,\"failed\":0}}");
            case CREATE -> node.addIndex(index)
                    ? Answer.ok("{\"acknowledged\":true,"
                    + "\"shards_acknowledged\":true,\"index\":\""
                    + Answer.escaped(index) + "\"}")
                    : Answer.error(HttpResponseStatus.BAD_REQUEST,
                    "resource_already_exists_exception",
                    "index [" + index + "] already exists");
            case DELETE -> node.removeIndex(index)
                    ? Answer.ok("{\"acknowledged\":true}") : noIndex();
            case EXISTS -> node.hasIndex(index) ? Answer.ok("{}") : noIndex();
            default -> Answer.error(HttpResponseStatus.BAD_REQUEST,
                    "illegal_argument_exception", "no handler found for uri ["
                    + path + "] and method [" + method + "]");
        };
    }

    private static Answer window(Node node, ByteBuf body) {
        Matcher m = WINDOW.matcher(body.readableBytes() > WINDOW_MAX ? ""
                : body.toString(StandardCharsets.US_ASCII));
        return m.matches() && node.window.set(Long.parseLong(m.group(1)),
                Long.parseLong(m.group(2)))
                ? Answer.ok("{\"acknowledged\":true}")
                : Answer.error(HttpResponseStatus.BAD_REQUEST,
                "illegal_argument_exception", "accepted: {\"t0_ns\":N,"
                + "\"t1_ns\":N}, the second later than now and the first");
    }

    private Answer noIndex() {
        return Answer.error(HttpResponseStatus.NOT_FOUND,
                "index_not_found_exception", "no such index");
    }
}
