internal import CZMQ

/// What a loop polls: the registrations as they are, and the list libzmq polls, made from them before a wait.
///
/// A registration that is removed is kept until it is taken back: letting go of a handler may run code that
/// registers or unregisters, which must not happen while this value is being changed.
struct Registrations {
    private var current: [Registration] = []

    /// The registrations of the last wait, in the order of `items` after its first.
    private var polled: [Registration] = []

    /// Removed, and not yet taken back.
    private var retired: [Registration] = []

    /// What libzmq polls; the first is the wake-up descriptor.
    private var items: [zmq_pollitem_t] = []

    /// Whether `current` changed since `items` was made.
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
        polled = []
        items = []
    }

    /// Gives back what was removed, for the caller to let go of.
    mutating func takeRetired() -> [Registration] {
        if retired.isEmpty { return [] }
        defer { retired = [] }
        return retired
    }

    /// Makes the list ready for a wait: forgets closed sockets, and makes it anew when something changed.
    mutating func prepare(wakeDescriptor: Int32) {
        for registration in current where registration.isClosed { remove(registration.source) }
        guard isStale else { return }
        isStale = false
        polled = current
        items = [zmq_pollitem_t(socket: nil, fd: wakeDescriptor, events: Int16(ZMQ_POLLIN), revents: 0)]
        for registration in current { items.append(Self.item(for: registration)) }
    }

    /// Lends the list to `zmq_poll`.
    mutating func withItems(_ body: (UnsafeMutablePointer<zmq_pollitem_t>, Int32) -> Int32) -> Int32 {
        items.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("the list has its first item") }
            return body(start, Int32(buffer.count))
        }
    }

    /// Whether the last wait was ended by the wake-up descriptor.
    var wasWoken: Bool { items.first.map { $0.revents != 0 } ?? false }

    /// The registrations that the last wait found ready; an error counts, so that the handler finds it.
    func ready(at index: Int) -> Registration? {
        let registration = polled[index]
        return items[index + 1].revents != 0 && registration.isActive ? registration : nil
    }

    /// The number of registrations that were polled.
    var polledCount: Int { polled.count }

    private static func item(for registration: Registration) -> zmq_pollitem_t {
        let events = registration.awaited.rawValue
        return switch registration.source {
        case .socket(let socket): zmq_pollitem_t(socket: socket.handle, fd: 0, events: events, revents: 0)
        case .fileDescriptor(let number): zmq_pollitem_t(socket: nil, fd: number, events: events, revents: 0)
        }
    }
}
