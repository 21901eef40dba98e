package pitwall;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;

/**
 * An ingest server on a real JVM and Netty, set up as Elasticsearch sets Netty
 * up: NIO, receive buffers that are arrays of the heap, none of them pooled. It
 * takes what pitwall-target takes with --index none and has its options, so
 * that both stand in one matrix.
 */
public final class Server {
    static final int EXIT_OOM = 3; /* as -XX:+ExitOnOutOfMemoryError has it */

    private Server() {
    }

    public static void main(String[] args) {
        Options options = null;
        try {
            options = Options.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println("pitwall-netty: " + e.getMessage());
            System.exit(2);
        }
        if (options.help) {
            System.out.print(Options.HELP);
            return;
        }
        try {
            listen(options);
        } catch (Exception e) {
            System.err.println("pitwall-netty: listen at " + options.address
                    + ":" + options.port + ": " + e.getMessage());
            System.exit(1);
        }
    }

    /** Its threads go on until a signal ends the process. */
    private static void listen(Options options) throws Exception {
        Node node = new Node(options);
        if (options.last != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(
                    () -> new LastWord(node).write(options.last)));
        }
        Channel channel = new ServerBootstrap()
                .group(new NioEventLoopGroup(1,
                                new DefaultThreadFactory("http_accept")),
                        new NioEventLoopGroup(options.threads,
                                new DefaultThreadFactory("http_worker")))
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOCATOR,
                        new UnpooledByteBufAllocator(false))
                .childOption(ChannelOption.RCVBUF_ALLOCATOR,
                        new CountedPredictor(options.predictor.allocator(
                                options.readsPerWakeup), node.tallies))
                .childHandler(new Pipeline(node))
                .bind(options.address, options.port).sync().channel();
        InetSocketAddress at = (InetSocketAddress) channel.localAddress();
        System.out.println("listening at " + at.getAddress().getHostAddress()
                + ":" + at.getPort());
    }

    /**
     * Ends the process when e is, or comes of, memory that is used up. The
     * JVM's own option sees its heap alone, not what Java code refuses by
     * itself: direct buffers.
     */
    static void endIfOutOfMemory(Throwable e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof OutOfMemoryError) {
                System.err.println("pitwall-netty: " + t);
                Runtime.getRuntime().halt(EXIT_OOM);
            }
        }
    }
}
