internal import CZMQ
internal import Glibc

/// What one wait of a loop is for, and what it found: its wake-up descriptor first, then its registrations.
///
/// `zmq_poll` asks the system twice for each wait. This asks libzmq first, about the sockets with which
/// something was done since it had no news of them, and then the system once. A socket's descriptor tells
/// only of news that nothing has heard yet, so nothing may be done with a socket between question and wait;
/// ``Socket/hasNoNews`` says when the question is answered already.
struct PollSet {
    /// How a wait ended.
    enum Outcome {
        /// Something is ready, or the time is over.
        case waited
        /// A socket's context was terminated.
        case contextTerminated
    }

    /// What is polled, in the order of `descriptors` after its first.
    let registrations: [Registration]

    /// What the system polls; the first is the wake-up descriptor.
    private var descriptors: [pollfd]

    /// Which of the registrations are ready.
    private var isReady: [Bool]

    /// Makes the list for a loop's registrations, all of them open.
    init(_ registrations: [Registration], wakeDescriptor: Int32) {
        self.registrations = registrations
        isReady = [Bool](repeating: false, count: registrations.count)
        let polled = [wakeDescriptor] + registrations.map(\.descriptor)
        descriptors = polled.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Waits until something is ready or the time is over.
    ///
    /// What is ready already does not keep it from looking at the rest: no socket starves another.
    ///
    /// - Parameters:
    ///   - limit: The longest wait; nil for no limit.
    ///   - busyPoll: How it begins.
    mutating func wait(atMost limit: Duration?, _ busyPoll: inout BusyPoll) -> Outcome {
        var limit = limit
        for index in registrations.indices {
            isReady[index] = false
            guard let socket = registrations[index].socketToAsk else { continue }
            guard look(at: socket, index) else { return .contextTerminated }
            if isReady[index] { limit = .zero }
        }
        if limit == .zero || !stayAwake(atMost: limit, &busyPoll) {
            pollDescriptors(atMost: limit?.systemDuration)
        }
        for index in registrations.indices where descriptors[index + 1].revents != 0 {
            if let socket = registrations[index].socket {
                guard look(at: socket, index) else { return .contextTerminated }
            } else {
                // An error or a hang-up counts, so that the handler finds it.
                isReady[index] = true
            }
        }
        return .waited
    }

    /// Whether the last wait was ended by the wake-up descriptor.
    var wasWoken: Bool { descriptors[0].revents != 0 }

    /// The registration at an index, if the last wait found it ready and it was not removed since.
    func ready(at index: Int) -> Registration? {
        isReady[index] && registrations[index].isActive ? registrations[index] : nil
    }

    /// Notes whether a socket has what is awaited; false when its context was terminated.
    private mutating func look(at socket: Socket, _ index: Int) -> Bool {
        guard let events = socket.events() else { return false }
        isReady[index] = !events.isDisjoint(with: registrations[index].awaited)
        return true
    }

    /// Asks the system again and again for a while, if that is worth it; whether something has become ready.
    ///
    /// Between two questions any other thread that can run on this processor does.
    private mutating func stayAwake(atMost limit: Duration?, _ busyPoll: inout BusyPoll) -> Bool {
        guard busyPoll.begins() else { return false }
        let end = ContinuousClock.now + min(busyPoll.limit, limit ?? busyPoll.limit)
        while !pollDescriptors(atMost: timespec()) {
            guard ContinuousClock.now < end else {
                busyPoll.ended(finding: false)
                return false
            }
            sched_yield()
        }
        busyPoll.ended(finding: true)
        return true
    }

    /// Asks the system, and again when a signal comes between, which does at most prolong the wait; whether
    /// something is ready.
    @discardableResult
    private mutating func pollDescriptors(atMost limit: timespec?) -> Bool {
        while true {
            let count = poll(atMost: limit)
            if count >= 0 { return count > 0 }
            precondition(errno == EINTR, "\(BusError(errno: errno, context: "ppoll"))")
        }
    }

    private mutating func poll(atMost limit: timespec?) -> Int32 {
        let count = nfds_t(descriptors.count)
        guard var limit else { return ppoll(&descriptors, count, nil, nil) }
        return ppoll(&descriptors, count, &limit, nil)
    }
}

/// What a loop waits for at a socket or a descriptor.
struct Readiness: OptionSet {
    /// libzmq's bits.
    let rawValue: Int16

    /// There is something to receive.
    static let readable = Self(rawValue: Int16(ZMQ_POLLIN))
    /// There is room to send.
    static let writable = Self(rawValue: Int16(ZMQ_POLLOUT))
}
