/// Something a loop polls, and the handler to call.
final class Registration {
    /// What is polled.
    enum Source {
        case socket(Socket)
        case fileDescriptor(Int32)

        func isSame(as other: Source) -> Bool {
            switch (self, other) {
            case (.socket(let one), .socket(let two)): one === two
            case (.fileDescriptor(let one), .fileDescriptor(let two)): one == two
            case (.socket, .fileDescriptor), (.fileDescriptor, .socket): false
            }
        }
    }

    let source: Source
    /// The socket, if it is one.
    let socket: Socket?

    /// What the system polls; -1, which it passes over, for a socket whose context was terminated.
    let descriptor: Int32

    /// What the loop waits for; it keeps what it has for nothing too.
    var awaited: Readiness

    let onReady: () -> Void

    /// False once removed, so that a turn that has begun does not call it any more.
    var isActive = true

    init(_ source: Source, awaiting awaited: Readiness, onReady: @escaping () -> Void) {
        self.source = source
        self.awaited = awaited
        self.onReady = onReady
        switch source {
        case .socket(let socket):
            self.socket = socket
            descriptor = (try? socket.newsDescriptor()) ?? -1
        case .fileDescriptor(let number):
            socket = nil
            descriptor = number
        }
    }

    /// Whether it is a socket that was closed since.
    var isClosed: Bool { socket?.isClosed ?? false }

    /// The socket, if libzmq has to be asked what can be done with it before the next wait.
    ///
    /// Only who awaits messages may go by ``Socket/hasNoNews``: it says nothing of room to send.
    var socketToAsk: Socket? {
        guard let socket, !socket.hasNoNews || awaited.contains(.writable) else { return nil }
        return socket
    }
}
