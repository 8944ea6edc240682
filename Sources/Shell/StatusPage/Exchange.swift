internal import CMicroHTTP
internal import Glibc

/// One connection and the one request that it may bring.
final class Exchange {
    let id: Int
    /// What libmicrohttpd knows it by; good until `isClosed`.
    let connection: OpaquePointer
    /// The socket, which libmicrohttpd closes.
    let descriptor: Int32
    /// When it must be over; of a stream at rest, when its next sign of life is due.
    var deadline: ContinuousClock.Instant
    var phase = Phase.reading
    /// What the first line asks for, as it was sent.
    var target = ""
    /// What has come of a body that somebody wants.
    var body: [UInt8] = []
    /// How much has come of any body.
    var bodyBytes = 0
    /// The most bytes of a body that somebody wants; nil where nobody wants any.
    var bodyBytesMax: Int?
    /// Whether libmicrohttpd leaves it alone until it is resumed.
    private(set) var isSuspended = false
    /// Whether it has a place among the streams.
    var isForStream = false
    /// Whether somebody works on its answer, even if nobody is left to hear it.
    var isAsked = false
    var isClosed = false
    /// Whether the client will send no more.
    var hasHungUp = false
    /// How long its stream may say nothing.
    private let heartbeat: Duration

    enum Phase {
        /// The head is on its way.
        case reading
        /// So is the body.
        case receiving(Request)
        case asking
        case answered(Response)
        /// The library sends the answer.
        case sending
        case streaming(Stream)
        /// Nothing more is said.
        case cut
    }

    /// Events on their way to one reader.
    struct Stream {
        let wake: AsyncStream<Void>.Continuation
        var piece: [UInt8] = []
        var sent = 0
        /// Who waits until the system has all of the piece.
        var writer: CheckedContinuation<Void, any Error>?
        var isOver = false
    }

    init(id: Int, connection: OpaquePointer, _ limits: Limits) {
        self.id = id
        self.connection = connection
        deadline = .now + limits.exchangeTimeMax
        heartbeat = limits.heartbeat
        descriptor = cmicrohttp_socket(connection)
    }

    var isBodyWanted: Bool { bodyBytesMax != nil }

    /// Whether the client still owes a part of its request.
    var isUnfinished: Bool {
        switch phase {
        case .reading, .receiving: true
        default: false
        }
    }

    var isStreaming: Bool { if case .streaming = phase { true } else { false } }

    func suspend() {
        isSuspended = true
        MHD_suspend_connection(connection)
    }

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
    }

    /// Ends it as soon as the library looks at it again. Where the client was too slow, the system must forget what it
    /// has still to send, too: it would go on offering that for minutes.
    func cut(forgetting: Bool = false) {
        guard !isClosed else { return }
        if forgetting {
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        }
        endStream()
        phase = .cut
        if isSuspended { resume() } else { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// Lets go of everybody who has to do with its stream.
    func endStream() {
        guard case .streaming(let stream) = phase else { return }
        phase = .cut
        stream.wake.finish()
        stream.writer?.resume(throwing: Gone())
    }

    /// Hands out more of the stream, or suspends it until there is more.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard case .streaming(var stream) = phase else { return cmicrohttp_end_with_error }
        defer { if isStreaming { phase = .streaming(stream) } }
        let left = stream.piece.dropFirst(stream.sent).prefix(buffer.count)
        guard left.isEmpty else {
            buffer.copyBytes(from: left)
            stream.sent += left.count
            return left.count
        }
        guard !stream.isOver else { return cmicrohttp_end }
        stream.piece = []
        stream.sent = 0
        stream.writer?.resume()
        stream.writer = nil
        deadline = .now + heartbeat
        suspend()
        return 0
    }
}

/// The other side went away, or was too slow.
struct Gone: Error {}
