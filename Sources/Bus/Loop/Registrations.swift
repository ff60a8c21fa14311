/// What a loop polls: the registrations as they are, and the set for a wait, made from them before it.
///
/// A registration that is removed is kept until it is taken back: letting go of a handler may run code that
/// registers or unregisters, which must not happen while this value is being changed.
struct Registrations {
    private var current: [Registration] = []

    /// The registrations of the last wait.
    var polled = PollSet([], wakeDescriptor: -1)

    /// Removed, and not yet taken back.
    private var retired: [Registration] = []

    /// Whether `current` changed since `polled` was made.
    private var isStale = true

    /// Adds one to be polled from the next wait on.
    mutating func add(_ registration: Registration) {
        precondition(!registration.isClosed, "a closed socket cannot be registered")
        precondition(!current.contains { $0.source.isSame(as: registration.source) }, "registered already")
        current.append(registration)
        isStale = true
    }

    /// Removes one; its handler is not called any more, even if it was readable in this turn.
    mutating func remove(_ source: Registration.Source) {
        guard let index = current.firstIndex(where: { $0.source.isSame(as: source) }) else { return }
        let registration = current.remove(at: index)
        registration.isActive = false
        retired.append(registration)
        isStale = true
    }

    /// Changes what one is polled for from the next wait on; does nothing if it is not registered.
    mutating func setAwaited(_ awaited: Readiness, at source: Registration.Source) {
        let registration = current.first { $0.source.isSame(as: source) }
        guard let registration, registration.awaited != awaited else { return }
        registration.awaited = awaited
        isStale = true
    }

    /// Removes all.
    mutating func removeAll() {
        for registration in current { remove(registration.source) }
        polled = PollSet([], wakeDescriptor: -1)
    }

    /// Gives back what was removed, for the caller to let go of.
    mutating func takeRetired() -> [Registration] {
        if retired.isEmpty { return [] }
        defer { retired = [] }
        return retired
    }

    /// Makes the set ready for a wait: forgets closed sockets, and makes it anew when something changed.
    mutating func prepare(wakeDescriptor: Int32) {
        for registration in current where registration.isClosed { remove(registration.source) }
        guard isStale else { return }
        isStale = false
        polled = PollSet(current, wakeDescriptor: wakeDescriptor)
    }
}

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

/// Calls a closure when the last reference to it goes.
final class ReleaseHook {
    private let onRelease: () -> Void

    init(_ onRelease: @escaping () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}
