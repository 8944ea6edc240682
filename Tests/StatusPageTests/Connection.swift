import Dispatch
import Glibc

/// A client's socket, read and written without blocking a thread. Whoever holds it closes it, once, at the end.
struct Connection: Sendable {
    let descriptor: Int32

    /// The other side went away.
    struct Gone: Error {}

    /// Returns some bytes, at most `bytesMax`; none at the end of what the server sends.
    func read(bytesMax: Int) async throws -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, initialized in
                count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                initialized = max(0, count)
            }
            if count >= 0 { return bytes }
            try await again(after: errno, until: .readable)
        }
    }

    func write(_ bytes: [UInt8]) async throws {
        var sent = 0
        while sent < bytes.count {
            let count = writeAtOnce(bytes[sent...])
            if count >= 0 { sent += count } else { try await again(after: errno, until: .writable) }
        }
    }

    /// Writes what fits without waiting and returns how much that was; -1 when nothing did, with the reason in `errno`.
    func writeAtOnce(_ bytes: ArraySlice<UInt8>) -> Int {
        // Without the flag, a client that went away would end the process with SIGPIPE.
        bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Tells the server that nothing more follows.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { Glibc.close(descriptor) }

    private func again(after code: Int32, until readiness: Readiness) async throws {
        switch code {
        case EAGAIN, EWOULDBLOCK: try await readiness.wait(on: descriptor)
        case EINTR: try Task.checkCancellation()
        default: throw Gone()
        }
    }
}

/// What a descriptor is waited for.
enum Readiness {
    case readable, writable

    /// Returns when the descriptor is ready; throws `CancellationError` when the task is cancelled first.
    func wait(on descriptor: Int32) async throws {
        // Dispatch sources may be used from any thread; only the protocols that hand them out do not say so.
        nonisolated(unsafe) let source: any DispatchSourceProtocol =
            switch self {
            case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor)
            case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor)
            }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Resuming only from the cancel handler makes sure that the descriptor is no longer watched when the
                // caller goes on, perhaps to close it.
                source.setCancelHandler { continuation.resume() }
                source.setEventHandler { source.cancel() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
        try Task.checkCancellation()
    }
}
