package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import java.util.Arrays;

/** The lines of a body that lies in slices of receive buffers. A line within
 * neighbouring slices of one buffer is read where it is; one that crosses
 * buffers, or any if a parser that copies is to be played, is copied. */
final class Lines {
    /** The line read last: array[from, to), without its line feed. */
    byte[] array;
    int from;
    int to;
    /** Its number, from 1. */
    int number;

    private final ByteBuf body;
    private final boolean copies;
    private final int slices;
    private int slice;
    private byte[] run; /* of neighbouring slices: run[at, end) is unread */
    private int at;
    private int end;

    Lines(ByteBuf body, boolean copies) {
        this.body = body;
        this.copies = copies;
        slices = body instanceof CompositeByteBuf
                ? ((CompositeByteBuf) body).numComponents() : 1;
        load();
    }

    private ByteBuf slice(int i) {
        return body instanceof CompositeByteBuf
                ? ((CompositeByteBuf) body).internalComponent(i) : body;
    }

    /** Begins the next run, if there is one. */
    private void load() {
        at = end = 0;
        while (slice < slices) {
            ByteBuf s = slice(slice);
            int begins = s.arrayOffset() + s.readerIndex();
            if (at < end && (s.array() != run || begins != end)) {
                return;
            }
            if (at == end) {
                run = s.array();
                at = begins;
            }
            end = begins + s.readableBytes();
            slice++;
        }
    }

    private static int feed(byte[] text, int from, int to) {
        while (from < to && text[from] != '\n') {
            from++;
        }
        return from;
    }

    /** Whether the body's last byte is a line feed. */
    boolean terminated() {
        return body.isReadable()
                && body.getByte(body.writerIndex() - 1) == '\n';
    }

    /** Reads the next line; false: there is none. */
    boolean next() {
        if (at == end) {
            return false;
        }
        number++;
        array = run;
        from = at;
        to = feed(run, at, end);
        if (to == end && slice < slices) {
            cross();
            return true;
        }
        at = Math.min(to + 1, end);
        if (copies) {
            array = Arrays.copyOfRange(run, from, to);
            to -= from;
            from = 0;
        }
        if (at == end) {
            load();
        }
        return true;
    }

    /** A line that goes on in the next run: measured, then copied. */
    private void cross() {
        int keptSlice = slice;
        byte[] keptRun = run;
        int keptAt = at;
        int keptEnd = end;
        array = new byte[gather(null)];
        slice = keptSlice;
        run = keptRun;
        at = keptAt;
        end = keptEnd;
        from = 0;
        to = gather(array);
    }

    /** Passes the line, into a copy if there is one; its length. */
    private int gather(byte[] copy) {
        int length = 0;
        boolean ends = false;
        while (!ends && at < end) {
            int stop = feed(run, at, end);
            ends = stop < end;
            if (copy != null) {
                System.arraycopy(run, at, copy, length, stop - at);
            }
            length += stop - at;
            at = ends ? stop + 1 : end;
            if (at == end) {
                load();
            }
        }
        return length;
    }
}
