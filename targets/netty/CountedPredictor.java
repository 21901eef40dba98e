package pitwall;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/** A predictor whose connections count their reads and buffers. Netty calls
 * deprecated what its own interface still asks for. */
@SuppressWarnings("deprecation")
final class CountedPredictor implements RecvByteBufAllocator {
    private final RecvByteBufAllocator predictor;
    private final Tallies tallies;

    CountedPredictor(RecvByteBufAllocator predictor, Tallies tallies) {
        this.predictor = predictor;
        this.tallies = tallies;
    }

    @Override
    public RecvByteBufAllocator.Handle newHandle() {
        return new Counted(predictor.newHandle(), tallies);
    }

    /**
     * One connection's. What it reads is counted at the end of each turn of
     * the event loop: by then the first request has told whether it is the
     * observer's connection, which leaves no trace.
     */
    static final class Counted extends RecvByteBufAllocator.DelegatingHandle {
        private final Tallies tallies;
        private final int[] sizes = new int[16];
        private int reads;
        private int zeroReads;
        private int buffers;
        private long bufferBytes;
        private boolean observer;

        Counted(RecvByteBufAllocator.Handle handle, Tallies tallies) {
            super(handle);
            this.tallies = tallies;
        }

        void isObserver() {
            observer = true;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            ByteBuf buffer = super.allocate(alloc);
            buffers++;
            bufferBytes += buffer.capacity();
            return buffer;
        }

        @Override
        public void lastBytesRead(int bytes) {
            super.lastBytesRead(bytes);
            if (bytes <= 0) {
                zeroReads++;
                return;
            }
            if (reads == sizes.length) {
                count();
            }
            sizes[reads++] = bytes;
        }

        @Override
        public void readComplete() {
            super.readComplete();
            count();
        }

        private void count() {
            if (!observer) {
                write(tallies.mine(), System.nanoTime());
            }
            reads = zeroReads = buffers = 0;
            bufferBytes = 0;
        }

        private void write(Tally tally, long now) {
            Tally.Windowed within = tally.within(now);
            long bytes = 0;
            for (int i = 0; i < reads; i++) {
                bytes += sizes[i];
                if (within != null) {
                    within.readBytes.record(sizes[i]);
                }
            }
            if (within != null && reads > 0) {
                within.readsPerLoop.record(reads);
            }
            tally.add(Count.READS, reads, now);
            tally.add(Count.READ_BYTES, bytes, now);
            tally.add(Count.ZERO_READS, zeroReads, now);
            tally.add(Count.BUFFER_COUNT, buffers, now);
            tally.add(Count.BUFFER_BYTES, bufferBytes, now);
        }
    }
}
