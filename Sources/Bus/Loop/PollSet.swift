internal import CZMQ
internal import Glibc

/// The descriptors and the results of one wait of a loop: the wake-up descriptor, then the registrations.
///
/// `zmq_poll` makes two system calls for each wait. This reads `ZMQ_EVENTS` first, of the sockets used since
/// libzmq last reported no message, and then makes one system call. A socket's descriptor signals only
/// commands that libzmq has not handled yet, so no call on a socket may come between the read and the wait.
/// ``Socket/isDrained`` is true when the read is unnecessary.
struct PollSet {
    enum Outcome {
        /// A registration is ready, the loop was woken, or the time limit has passed.
        case waited
        case contextTerminated
    }

    /// The polled registrations, in the order of `descriptors` after its first.
    let registrations: [Registration]

    /// The descriptors for ppoll(2); the first is the wake-up descriptor.
    private var descriptors: [pollfd]

    private var isReady: [Bool]

    /// Makes the list for a loop's registrations, all of them open.
    init(_ registrations: [Registration], wakeDescriptor: Int32) {
        self.registrations = registrations
        isReady = [Bool](repeating: false, count: registrations.count)
        let polled = [wakeDescriptor] + registrations.map(\.descriptor)
        descriptors = polled.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Waits until a registration is ready, the loop is woken, or the time limit has passed. It checks all
    /// registrations even if one is ready already, so that no socket starves another.
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

    var wasWoken: Bool { descriptors[0].revents != 0 }

    /// The registration at an index, if the last wait found it ready and it was not removed since.
    func ready(at index: Int) -> Registration? {
        isReady[index] && registrations[index].isActive ? registrations[index] : nil
    }

    /// Stores whether a socket has the awaited readiness; returns false when its context was terminated.
    private mutating func look(at socket: Socket, _ index: Int) -> Bool {
        guard let events = socket.events() else { return false }
        isReady[index] = !events.isDisjoint(with: registrations[index].awaited)
        return true
    }

    /// Polls without sleeping up to the busy-polling limit, if enabled; returns whether a descriptor is
    /// ready. Between two polls it yields the processor to other threads.
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

    /// Calls ppoll(2), again after a signal, which restarts the time limit; returns whether a descriptor is
    /// ready.
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

struct Readiness: OptionSet {
    /// libzmq's bits.
    let rawValue: Int16

    static let readable = Self(rawValue: Int16(ZMQ_POLLIN))
    /// A message can be sent.
    static let writable = Self(rawValue: Int16(ZMQ_POLLOUT))
}
