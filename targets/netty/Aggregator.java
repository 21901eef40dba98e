package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;

/** Netty's aggregator, which knows when the request at hand began. */
final class Aggregator extends HttpObjectAggregator {
    private long began;

    Aggregator(int bodyMax, int maxComponents) {
        super(bodyMax);
        setMaxCumulationBufferComponents(maxComponents);
    }

    /** When the head was there of the request that it passed on last, in
     * System.nanoTime(). */
    long began() {
        return began;
    }

    @Override
    protected FullHttpMessage beginAggregation(HttpMessage start,
                                               ByteBuf content)
            throws Exception {
        began = System.nanoTime();
        return super.beginAggregation(start, content);
    }
}
