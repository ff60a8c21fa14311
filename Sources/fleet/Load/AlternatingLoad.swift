import Bus
import FleetProtocol
import Glibc
import LoadCore
import ProcessSupport
import UserText

/// Runs of a load against fleets of two versions, in turns of a quarter of a second. What slows the machine
/// for longer than a turn affects both. A run has two new fleets for each three seconds: the speed of a
/// process depends on where its memory is, which differs from start to start.
struct AlternatingLoad: Sendable {
    struct Pair: Sendable {
        let now: LoadMeasurement
        let before: LoadMeasurement
    }

    private struct Side {
        let driver: LoadDriver
        let devices: [DeviceID]
        let meter: FleetMeter
    }

    private struct Measured {
        private var parts: [LoadRecording] = []
        /// The processor time of the fleets; nil if it is not known.
        private var used: Duration? = .zero

        /// Runs a part of the load, and counts the processor time of the fleet.
        mutating func run(_ plan: LoadPlan, on side: Side) async throws {
            let start = side.meter.used
            parts.append(try await side.driver.run(plan, on: side.devices, isShared: true).recording)
            guard let start, let sum = used, let end = side.meter.used else { return used = nil }
            used = sum + end - start
        }

        mutating func add(_ other: Measured) {
            parts += other.parts
            if let sum = used, let more = other.used { used = sum + more } else { used = nil }
        }

        func measurement(of plan: LoadPlan, against objectives: [Objective]) throws -> LoadMeasurement {
            var measurement = try LoadMeasurement(of: plan, joining: parts, against: objectives)
            let applied = measurement.result.applied
            if let used, applied > 0 {
                measurement.result.details.processorUsPerToggle =
                    used / .microseconds(1) / Double(applied)
            }
            return measurement
        }
    }

    private static let turn: Duration = .milliseconds(250)
    /// The longest time for which a pair of fleets is measured.
    private static let pairLimit: Duration = .seconds(3)
    /// The number of turns after which the progress is shown.
    private static let turnsPerProgress = 4

    let plans: [LoadPlan]
    let objectives: [Objective]
    let selectors: [String]
    let fleetPlan: FleetPlan
    /// The directory with the executables of the other version.
    let baseline: String
    let surroundings: Surroundings
    let interruption: LoadInterruption

    /// Carries out the runs; an interrupted one is left out.
    func measure() async throws -> [Pair] {
        var pairs: [Pair] = []
        for (index, plan) in plans.enumerated() where !interruption.hasCome {
            if let pair = try await pair(plan, index) { pairs.append(pair) }
        }
        surroundings.showProgress(nil)
        return pairs
    }

    /// Carries out a run, with one pair of fleets after another.
    private func pair(_ plan: LoadPlan, _ index: Int) async throws -> Pair? {
        var sums = [Measured(), Measured()]
        let starts = try Self.starts(of: plan)
        for (number, turns) in starts.enumerated() where !interruption.hasCome {
            let place = "run \(index + 1) of \(plans.count), fleets \(number + 1) of \(starts.count)"
            surroundings.showProgress("\(place): starting")
            let warmup = plan.warmup / starts.count
            let measured = try await fleet(in: surroundings).use { now in
                try await fleet(in: other).use { before in
                    try await measure(turns, of: plan, after: warmup, [now, before], place)
                }
            }
            for side in sums.indices { sums[side].add(measured[side]) }
        }
        guard !interruption.hasCome else { return nil }
        return Pair(
            now: try sums[0].measurement(of: plan, against: objectives),
            before: try sums[1].measurement(of: plan, against: objectives))
    }

    /// The environment in which the executables of the other version are beside `fleet`.
    private var other: Surroundings {
        var other = surroundings
        other.executable = "\(baseline)/fleet"
        return other
    }

    private func fleet(in surroundings: Surroundings) -> OwnFleet {
        OwnFleet(plan: fleetPlan, surroundings: surroundings, interruption: interruption)
    }

    private func measure(
        _ turns: [LoadPlan], of plan: LoadPlan, after warmup: Duration, _ directories: [RunDirectory],
        _ place: String
    ) async throws -> [Measured] {
        try await side(in: directories[0], plan) { now in
            try await side(in: directories[1], plan) { before in
                let sides = [now, before]
                await interruption.handle { for side in sides { await side.driver.interrupt() } }
                try await warmUp(plan, for: warmup, sides)
                var measured = [Measured(), Measured()]
                for (turn, part) in turns.enumerated() {
                    if turn.isMultiple(of: Self.turnsPerProgress) {
                        surroundings.showProgress("\(place): turn \(turn + 1) of \(turns.count)")
                    }
                    // In the order A B B A: a steady drift of the machine then affects both alike.
                    for side in turn.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                        try await measured[side].run(part, on: sides[side])
                    }
                }
                return measured
            }
        }
    }

    private func side<Result: Sendable>(
        in directory: RunDirectory, _ plan: LoadPlan, _ work: (Side) async throws -> Result
    ) async throws -> Result {
        let access = try ControllerAccess(to: directory, in: surroundings)
        let devices = try await access.withSession {
            try await LoadDevices.find(selectors, with: $0, in: surroundings).map(\.id)
        }
        let token = try StoredSession.read(from: directory.sessionFile).token
        let meter = try await FleetMeter(of: directory)
        let (_, unread) = AsyncStream.makeStream(of: LoadProgress.self, bufferingPolicy: .bufferingNewest(1))
        return try await Loop.withThread(name: "load", precision: .exact) { loop in
            let driver = LoadDriver(on: loop, token: token, surroundings: surroundings, progressFeed: unread)
            try await driver.connect(plan.connections, over: access.connection)
            return try await work(Side(driver: driver, devices: devices, meter: meter))
        }
    }

    /// Runs a load on each side, and discards the result.
    private func warmUp(_ plan: LoadPlan, for duration: Duration, _ sides: [Side]) async throws {
        guard duration > .zero else { return }
        let part = try plan.part(lasting: duration, number: 0)
        for side in sides { _ = try await side.driver.run(part, on: side.devices) }
    }

    /// The turns of each pair of fleets in a run: parts of the same length of about ``turn``.
    private static func starts(of plan: LoadPlan) throws(PlanError) -> [[LoadPlan]] {
        let starts = max(1, Int((plan.duration / pairLimit).rounded(.up)))
        let count = max(1, Int((plan.duration / starts / turn).rounded()))
        let length = plan.duration / (starts * count)
        return try (0..<starts).map { start throws(PlanError) in
            try (1...count).map { number throws(PlanError) in
                try plan.part(lasting: length, number: UInt64(start * count + number))
            }
        }
    }
}

struct FleetMeter: Sendable {
    private let processIDs: [Int32]

    /// A meter of the running processes of a fleet on this machine.
    init(of directory: RunDirectory) async throws {
        let reply = try await SupervisorAccess(directory: directory).ask(.processes)
        processIDs = (reply?.processes ?? [])
            .filter { $0.name == "controller" || $0.name.hasPrefix("node-") }.compactMap(\.processID)
    }

    /// The processor time of all threads of the processes; nil if the system does not report it.
    var used: Duration? {
        let times = processIDs.compactMap(Self.used)
        guard !times.isEmpty, times.count == processIDs.count else { return nil }
        return times.reduce(.zero, +)
    }

    private static func used(by processID: Int32) -> Duration? {
        var clock: clockid_t = 0
        var time = timespec()
        guard clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return nil
        }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
