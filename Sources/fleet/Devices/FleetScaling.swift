import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct FleetScaling: Sendable {
    /// The supervisor's timeout, which covers the start of a node or the end of nodes (SIGKILL after 2 s).
    private static let supervisorTimeout: Duration = .seconds(5)

    let access: ControllerAccess

    /// Scales the fleet, and returns once the controller knows the new number of devices. Returns the number
    /// of devices before, and the new size with the indices of removed devices.
    func run(to devices: Int, with client: FleetClient) async throws -> (before: UInt32, size: FleetSize) {
        let register = try access.directory.deviceRegister()
        let seed = try access.directory.seed() ?? 1
        // An empty retirement checks the user's permission before the supervisor changes anything.
        _ = try await client.retire([])
        let before = try await client.status().devices
        let indices = UInt32(register.indices(for: devices, seed: seed))
        let size = try await ask(.scale(devices: indices))
        let retirement = DeviceRetirement(client: client, surroundings: access.surroundings)
        try await retirement.run(size, known: before)
        if size.hosted > size.devices { _ = try await ask(.trim) }
        try await arrive(devices, with: client)
        return (before, size)
    }

    private func ask(_ request: SupervisorRequest) async throws -> FleetSize {
        let supervisor = SupervisorAccess(directory: access.directory)
        guard let reply = try await supervisor.ask(request, timeout: Self.supervisorTimeout) else {
            throw supervisor.silence
        }
        guard reply.failure == nil, let size = reply.size else {
            throw CommandFailure(
                .refused,
                "the fleet was not scaled: \(SafeText.of(reply.failure ?? "its size is not known"))",
                advice: "check `fleet status`")
        }
        return size
    }

    private func arrive(_ devices: Int, with client: FleetClient) async throws {
        let surroundings = access.surroundings
        var arrival = Arrival(of: devices, at: surroundings.now().monotonic)
        defer { surroundings.showProgress(nil) }
        while true {
            let known = Int(try await client.status().devices)
            switch arrival.judge(known, at: surroundings.now().monotonic) {
            case .arrived: return
            case .again(let text):
                if let text { surroundings.showProgress(text) }
                try await surroundings.pause(Arrival.interval)
            case .late:
                throw CommandFailure(
                    .undecided, "the controller knows \(Count.of(known, "device")), not \(devices)",
                    advice: "check `fleet status`, then try again")
            }
        }
    }
}

/// Decides whether a scaled fleet has reached its new number of devices.
struct Arrival: Sendable {
    enum Decision: Equatable, Sendable {
        case arrived
        /// Query again after ``interval``, and show the progress message, if any.
        case again(notify: String?)
        case late
    }

    static let interval: Duration = .milliseconds(50)
    static let progressInterval: Duration = .seconds(1)

    private let devices: Int
    private let deadline: MonotonicTime
    private var nextProgressAt: MonotonicTime

    /// A judge for a fleet that must have a number of devices in 30 s, and 1 s more for each 20,000 devices.
    init(of devices: Int, at now: MonotonicTime) {
        self.devices = devices
        deadline = now.advanced(by: .seconds(30) + .seconds(devices / 20_000))
        nextProgressAt = now.advanced(by: Self.progressInterval)
    }

    mutating func judge(_ known: Int, at now: MonotonicTime) -> Decision {
        if known == devices { return .arrived }
        if now >= deadline { return .late }
        guard now >= nextProgressAt else { return .again(notify: nil) }
        nextProgressAt = now.advanced(by: Self.progressInterval)
        return .again(notify: "\(known) devices known, \(devices) wanted")
    }
}

/// Retires the last devices of a fleet, highest index first, in orders of ``Limits/faultDevices``.
struct DeviceRetirement: Sendable {
    /// The number of attempts to send an order while a node does not answer it.
    private static let tries = 5
    /// The number of orders between two progress messages.
    private static let ordersPerWord = 50

    let client: FleetClient
    let surroundings: Surroundings

    /// Retires devices until the fleet hosts no more than its new size, and the controller has stored that.
    /// After an interrupted scale, the controller can know more devices than the nodes host.
    func run(_ size: FleetSize, known: UInt32) async throws {
        let end = max(size.hosted, known, size.devices)
        let indices = Array(UInt64(size.devices)..<UInt64(end)).reversed()
        let devices = indices.map { DeviceID(fleetSeed: size.seed, index: $0) }
        let orders = devices.orders
        defer { if orders.count > Self.ordersPerWord { surroundings.showProgress(nil) } }
        var left = 0
        for (place, order) in orders.enumerated() {
            try await retire(order)
            left += order.count
            guard place % Self.ordersPerWord == Self.ordersPerWord - 1 else { continue }
            surroundings.showProgress("\(left) of \(devices.count) devices have left")
        }
        if !devices.isEmpty { _ = try await client.retire([]) }
    }

    /// Sends an order up to ``tries`` times, until every node has answered; once a node is unreachable, the
    /// controller removes its devices without an answer.
    private func retire(_ devices: [DeviceID]) async throws {
        for _ in 0..<Self.tries {
            let report = try await client.retire(devices)
            if report.refusingNodes > 0 {
                throw CommandFailure(
                    .refused, "a node refuses to retire devices: they are not its last",
                    advice: "restart the fleet with `fleet down` and `fleet up`")
            }
            if report.silentNodes == 0 { return }
        }
        throw CommandFailure(
            .undecided, "a node did not confirm that its devices have left",
            advice: "check `fleet status`; repeat the command to continue")
    }
}
