package pitwall;

import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;

/** What a connection's bytes pass: decoder, aggregator, its requests. The
 * limits are Elasticsearch's. */
final class Pipeline extends ChannelInitializer<SocketChannel> {
    private static final int LINE_MAX = 4096;
    private static final int HEADER_MAX = 65536;
    private static final int CHUNK_MAX = 8192;
    private static final int BODY_MAX = 100 << 20;

    private final Node node;

    Pipeline(Node node) {
        this.node = node;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        Aggregator whole = new Aggregator(BODY_MAX,
                node.options.maxComponents);
        channel.pipeline().addLast(new HttpServerCodec(LINE_MAX, HEADER_MAX,
                CHUNK_MAX, true, node.options.initialBuffer));
        channel.pipeline().addLast(whole);
        channel.pipeline().addLast(new Connection(node, whole));
    }
}
