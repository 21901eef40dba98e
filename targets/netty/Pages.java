package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** A text that grows in pages which are used again and again, as answers of
 * Elasticsearch do: its size leaves no garbage outside of TLABs. */
final class Pages {
    private static final int PAGE = 16384;
    private static final int ARENAS = 2;
    private static final int CHUNK_ORDER = 5; /* of 2^5 x 8192 bytes */
    private static final int CACHED = 64; /* pages of a thread */
    private static final PooledByteBufAllocator POOL =
            new PooledByteBufAllocator(false, ARENAS, 0, 8192, CHUNK_ORDER, 0,
                    0, CACHED, true);

    private final List<ByteBuf> pages = new ArrayList<>();
    private ByteBuf last = page();

    private ByteBuf page() {
        ByteBuf page = POOL.heapBuffer(PAGE, PAGE);
        pages.add(page);
        return page;
    }

    boolean isEmpty() {
        return !last.isReadable();
    }

    void put(byte b) {
        if (!last.isWritable()) {
            last = page();
        }
        last.writeByte(b);
    }

    void put(byte[] array) {
        put(array, 0, array.length);
    }

    void put(byte[] array, int from, int to) {
        for (int at = from; at < to;) {
            if (!last.isWritable()) {
                last = page();
            }
            int n = Math.min(to - at, last.writableBytes());
            last.writeBytes(array, at, n);
            at += n;
        }
    }

    /** The whole after head; whoever has it releases it, and the pages. */
    ByteBuf after(byte[] head) {
        ByteBuf[] all = new ByteBuf[pages.size() + 1];
        all[0] = Unpooled.wrappedBuffer(head);
        for (int i = 0; i < pages.size(); i++) {
            all[i + 1] = pages.get(i);
        }
        return Unpooled.wrappedBuffer(all.length, all);
    }

    /** Gives the pages back unused. */
    void drop() {
        pages.forEach(ByteBuf::release);
    }
}
