/// The registrations of a loop, and the poll set built from them before a wait. A removed registration is
/// held until ``popRetired()``: releasing a handler may run code that registers or unregisters, which must
/// not happen while this value is being changed.
struct Registrations {
    private var current: [Registration] = []
    var polled = PollSet([], wakeDescriptor: -1)

    /// The removed registrations that ``popRetired()`` has not returned yet.
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

    mutating func removeAll() {
        for registration in current { remove(registration.source) }
        polled = PollSet([], wakeDescriptor: -1)
    }

    /// Returns the removed registrations, for the caller to release.
    mutating func popRetired() -> [Registration] {
        if retired.isEmpty { return [] }
        defer { retired = [] }
        return retired
    }

    /// Prepares the poll set for a wait: removes closed sockets, and rebuilds the set after a change.
    mutating func prepare(wakeDescriptor: Int32) {
        for registration in current where registration.isClosed { remove(registration.source) }
        guard isStale else { return }
        isStale = false
        polled = PollSet(current, wakeDescriptor: wakeDescriptor)
    }
}

final class Registration {
    /// The socket or file descriptor that the loop polls.
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
    let socket: Socket?

    /// The descriptor for ppoll(2), which ignores -1: that stands for a socket whose context was terminated.
    let descriptor: Int32

    /// The readiness that calls the handler; an empty set keeps the registration without calls.
    var awaited: Readiness

    let onReady: () -> Void

    /// False once removed, so that the current turn does not call the handler any more.
    var isActive = true

    init(_ source: Source, awaiting awaited: Readiness, onReady: @escaping () -> Void) {
        (self.source, self.awaited, self.onReady) = (source, awaited, onReady)
        switch source {
        case .socket(let socket):
            self.socket = socket
            descriptor = (try? socket.readinessDescriptor()) ?? -1
        case .fileDescriptor(let number):
            socket = nil
            descriptor = number
        }
    }

    var isClosed: Bool { socket?.isClosed ?? false }

    /// The socket, if its events have to be read from libzmq before the next wait; else nil.
    /// ``Socket/isDrained`` covers only incoming messages, so it is ignored when `writable` is awaited.
    var socketToAsk: Socket? {
        guard let socket, !socket.isDrained || awaited.contains(.writable) else { return nil }
        return socket
    }
}

/// Calls a closure when the last reference to it goes.
final class ReleaseHook {
    private let onRelease: () -> Void

    init(_ onRelease: @escaping () -> Void) { self.onRelease = onRelease }

    deinit { onRelease() }
}
