package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayDeque;
import java.util.Queue;

/** One connection's requests, answered in the order in which they came: bulk
 * requests by the pool, others at once. */
final class Connection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Node node;
    private final Queue<FullHttpRequest> waiting = new ArrayDeque<>();
    private boolean busy;

    Connection(Node node) {
        this.node = node;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        node.tallies.mine().add(Count.CONNECTIONS, 1);
        super.channelActive(ctx);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx,
                                FullHttpRequest request) {
        waiting.add(request.retain());
        advance(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        waiting.forEach(FullHttpRequest::release);
        waiting.clear();
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable e) {
        Server.endIfOutOfMemory(e);
        ctx.close();
    }

    /** A client that sends on while a bulk is at work is not read from until
     * that is answered. */
    private void advance(ChannelHandlerContext ctx) {
        while (!busy && !waiting.isEmpty()) {
            FullHttpRequest request = waiting.poll();
            try {
                begin(ctx, request);
            } finally {
                request.release();
            }
        }
        ctx.channel().config().setAutoRead(waiting.isEmpty());
    }

    private void begin(ChannelHandlerContext ctx, FullHttpRequest request) {
        Route route = Route.of(request.method(), request.uri());
        if (request.decoderResult().isFailure()) {
            HttpUtil.setKeepAlive(request, false);
            answer(ctx, request, Answer.error(HttpResponseStatus.BAD_REQUEST,
                    "parse_exception",
                    String.valueOf(request.decoderResult().cause()
                            .getMessage())));
        } else if (route.kind == Route.Kind.BULK) {
            bulk(ctx, request, route);
        } else {
            answer(ctx, request, route.answer(node));
        }
    }

    private void bulk(ChannelHandlerContext ctx, FullHttpRequest request,
                      Route route) {
        ByteBuf body = node.options.bodyCopy
                ? Unpooled.copiedBuffer(request.content())
                : request.content().retain();
        FullHttpRequest head = request.replace(Unpooled.EMPTY_BUFFER);
        busy = true;
        if (!node.pool.take(() -> work(ctx, head, route, body))) {
            body.release();
            busy = false;
            answer(ctx, head, Answer.error(
                    HttpResponseStatus.TOO_MANY_REQUESTS,
                    "es_rejected_execution_exception",
                    "the queue of bulk requests is full"));
        }
    }

    /** In a thread of the pool. */
    private void work(ChannelHandlerContext ctx, FullHttpRequest head,
                      Route route, ByteBuf body) {
        try {
            Answer answer = new Bulk(node, route).run(body);
            ctx.executor().execute(() -> {
                busy = false;
                answer(ctx, head, answer);
                advance(ctx);
            });
        } catch (Throwable e) {
            Server.endIfOutOfMemory(e);
            ctx.close();
        } finally {
            body.release();
        }
    }

    private void answer(ChannelHandlerContext ctx, FullHttpRequest request,
                        Answer answer) {
        boolean keep = HttpUtil.isKeepAlive(request);
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, answer.status, answer.body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE,
                        "application/json; charset=UTF-8")
                .set(HttpHeaderNames.CONTENT_LENGTH,
                        answer.body.readableBytes());
        if (!keep) {
            response.headers().set(HttpHeaderNames.CONNECTION,
                    HttpHeaderValues.CLOSE);
        }
        if (request.method().equals(HttpMethod.HEAD)) {
            response.content().clear();
        }
        boolean observer = Route.isObservers(request.uri());
        if (observer) {
            ((CountedPredictor.Counted) ctx.channel().unsafe()
                    .recvBufAllocHandle()).isObserver();
        }
        ChannelFuture written = ctx.writeAndFlush(response);
        if (!observer) {
            written.addListener(done -> count(done.isSuccess(), answer));
        }
        if (!keep) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void count(boolean delivered, Answer answer) {
        Tally tally = node.tallies.mine();
        if (!delivered) {
            return;
        }
        tally.add(Count.REQUESTS, 1);
        tally.add(Count.DOCS, answer.docs);
        tally.add(Count.DOCS_FAILED, answer.docsFailed);
        if (answer.status.equals(HttpResponseStatus.TOO_MANY_REQUESTS)) {
            tally.add(Count.REJECTED, 1);
        } else if (answer.status.code() >= 300) {
            tally.add(Count.ERRORS, 1);
        }
    }
}
