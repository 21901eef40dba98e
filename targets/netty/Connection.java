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
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayDeque;
import java.util.Queue;

/** One connection's requests, answered in the order in which they came: bulk
 * requests by the pool, others at once. */
final class Connection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Node node;
    private final Aggregator aggregator;
    private final Queue<Request> waiting = new ArrayDeque<>();
    private boolean busy;

    Connection(Node node, Aggregator aggregator) {
        this.node = node;
        this.aggregator = aggregator;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        node.tallies.mine().add(Count.CONNECTIONS, 1, System.nanoTime());
        super.channelActive(ctx);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx,
                                FullHttpRequest message) {
        waiting.add(new Request(message, aggregator.began()));
        advance(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        waiting.forEach(request -> request.body.release());
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
            begin(ctx, waiting.poll());
        }
        ctx.channel().config().setAutoRead(waiting.isEmpty());
    }

    /** The request's body is released once nobody needs it. */
    private void begin(ChannelHandlerContext ctx, Request request) {
        if (request.fault == null && request.route.kind == Route.Kind.BULK) {
            bulk(ctx, request);
            return;
        }
        answer(ctx, request, request.fault == null
                ? request.route.answer(node, request.body)
                : Answer.error(HttpResponseStatus.BAD_REQUEST,
                        "parse_exception", request.fault));
        request.body.release();
    }

    private void bulk(ChannelHandlerContext ctx, Request request) {
        ByteBuf body = request.body;
        if (node.options.bodyCopy) {
            body = Unpooled.copiedBuffer(request.body);
            request.body.release();
        }
        ByteBuf whole = body;
        busy = true;
        if (!node.pool.take(() -> work(ctx, request, whole))) {
            whole.release();
            busy = false;
            node.tallies.mine().add(Count.QUEUE_FULL, 1, System.nanoTime());
            answer(ctx, request, Answer.error(
                    HttpResponseStatus.TOO_MANY_REQUESTS,
                    "es_rejected_execution_exception",
                    "the queue of bulk requests is full"));
        }
    }

    /** In a thread of the pool. */
    private void work(ChannelHandlerContext ctx, Request request,
                      ByteBuf body) {
        long began = System.nanoTime();
        try {
            Answer answer = new Bulk(node, request.route).run(body);
            ctx.executor().execute(() -> {
                busy = false;
                answer(ctx, request, answer);
                advance(ctx);
            });
        } catch (Throwable e) {
            Server.endIfOutOfMemory(e);
            ctx.close();
        } finally {
            body.release();
        }
        long now = System.nanoTime();
        Tally tally = node.tallies.mine();
        tally.add(Count.BULK_NS, now - began, now);
        tally.add(Count.WAIT_NS, began - request.arrived, now);
    }

    private void answer(ChannelHandlerContext ctx, Request request,
                        Answer answer) {
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, answer.status, answer.body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE,
                        "application/json; charset=UTF-8")
                .set(HttpHeaderNames.CONTENT_LENGTH,
                        answer.body.readableBytes());
        if (!request.keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION,
                    HttpHeaderValues.CLOSE);
        }
        if (request.isHead) {
            response.content().clear();
        }
        if (request.isObservers) {
            ((CountedPredictor.Counted) ctx.channel().unsafe()
                    .recvBufAllocHandle()).isObserver();
        }
        ChannelFuture written = ctx.writeAndFlush(response);
        if (!request.isObservers) {
            written.addListener(done -> count(done.isSuccess(), request,
                    answer));
        }
        if (!request.keepAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void count(boolean delivered, Request request, Answer answer) {
        if (!delivered) {
            return;
        }
        long now = System.nanoTime();
        Tally tally = node.tallies.mine();
        Tally.Windowed within = tally.within(now);
        if (within != null) {
            within.serviceNanos.record(now - request.began);
        }
        tally.add(Count.REQUESTS, 1, now);
        tally.add(Count.DOCS, answer.docs, now);
        tally.add(Count.DOCS_FAILED, answer.docsFailed, now);
        tally.add(Count.BODY_BYTES, request.bodyBytes, now);
        if (answer.status.equals(HttpResponseStatus.TOO_MANY_REQUESTS)) {
            tally.add(Count.REJECTED, 1, now);
        } else if (answer.status.code() >= 300) {
            tally.add(Count.ERRORS, 1, now);
        }
    }
}
