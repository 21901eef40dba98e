package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;

/** A request that came in whole. */
final class Request {
    final Route route;
    final ByteBuf body;
    final int bodyBytes;
    final boolean isHead;
    final boolean keepAlive;
    /** Of the measuring itself: not counted. */
    final boolean isObservers;
    /** What is wrong with it; null: nothing. */
    final String fault;
    /** When it began, and when it was there, in System.nanoTime(). */
    final long began;
    final long arrived = System.nanoTime();

    /** The body is the caller's to release; message is borrowed. */
    Request(FullHttpRequest message, long began) {
        route = Route.of(message.method(), message.uri());
        body = message.content().retain();
        bodyBytes = body.readableBytes();
        isHead = message.method().equals(HttpMethod.HEAD);
        isObservers = Route.isObservers(message.uri());
        fault = message.decoderResult().isFailure()
                ? String.valueOf(message.decoderResult().cause().getMessage())
                : null;
        keepAlive = fault == null && HttpUtil.isKeepAlive(message);
        this.began = began;
    }
}
