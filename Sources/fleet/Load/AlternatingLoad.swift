import Bus
import FleetProtocol
import LoadCore
import ProcessSupport
import UserText

/// Runs of a load against fleets of two versions, in turns of a quarter of a second.
///
/// What slows the machine for longer than a turn affects both. Each run has two new fleets: the speed of a
/// process depends on where its memory is, which differs from start to start.
struct AlternatingLoad: Sendable {
    /// The measurements of one run.
    struct Pair: Sendable {
        let now: LoadMeasurement
        let before: LoadMeasurement
    }

    /// One of the two fleets, and the connections to it.
    private struct Side {
        let driver: LoadDriver
        let devices: [DeviceID]
        let meter: FleetMeter
        var parts: [LoadRecording] = []
        var used: Duration? = .zero

        /// Runs a part of the load, and counts the processor time of the fleet.
        mutating func run(_ plan: LoadPlan) async throws {
            let start = meter.used
            parts.append(try await driver.run(plan, on: devices, isShared: true).recording)
            guard let start, let sum = used, let end = meter.used else { return used = nil }
            used = sum + end - start
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

    /// The time of a turn.
    private static let turn: Duration = .milliseconds(250)
    /// The number of turns after which the progress is shown.
    private static let turnsPerProgress = 4

    /// The runs.
    let plans: [LoadPlan]
    /// The objectives of each run.
    let objectives: [Objective]
    /// The selectors of the devices.
    let selectors: [String]
    /// The plan of each fleet.
    let fleetPlan: FleetPlan
    /// The directory with the executables of the other version.
    let baseline: String
    /// The environment of the command.
    let surroundings: Surroundings
    /// Ctrl-C.
    let interruption: LoadInterruption

    /// Carries out the runs; an interrupted one is left out.
    func measure() async throws -> [Pair] {
        var pairs: [Pair] = []
        for (index, plan) in plans.enumerated() where !interruption.hasCome {
            surroundings.notify("fleet: run \(index + 1) of \(plans.count): starting two fleets")
            let pair: Pair? = try await fleet(in: surroundings).use { now in
                try await fleet(in: other).use { before in try await self.pair(plan, now, before, index) }
            }
            if let pair { pairs.append(pair) }
        }
        surroundings.showProgress(nil)
        return pairs
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

    private func pair(
        _ plan: LoadPlan, _ now: RunDirectory, _ before: RunDirectory, _ index: Int
    ) async throws -> Pair? {
        try await side(in: now, plan) { now in
            try await side(in: before, plan) { before in
                let drivers = [now.driver, before.driver]
                await interruption.handle { for driver in drivers { await driver.interrupt() } }
                var sides = [now, before]
                try await warmUp(plan, sides)
                let turns = try Self.turns(of: plan)
                for (turn, part) in turns.enumerated() {
                    if turn.isMultiple(of: Self.turnsPerProgress) {
                        surroundings.showProgress(
                            "run \(index + 1) of \(plans.count), turn \(turn + 1) of \(turns.count)")
                    }
                    // In the order A B B A: a steady drift of the machine then affects both alike.
                    for side in turn.isMultiple(of: 2) ? [0, 1] : [1, 0] { try await sides[side].run(part) }
                }
                guard !interruption.hasCome else { return nil }
                return Pair(
                    now: try sides[0].measurement(of: plan, against: objectives),
                    before: try sides[1].measurement(of: plan, against: objectives))
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

    /// Runs a load of the warm-up's length on each side, and discards it.
    private func warmUp(_ plan: LoadPlan, _ sides: [Side]) async throws {
        guard plan.warmup > .zero else { return }
        let part = try plan.part(lasting: plan.warmup, number: 0)
        for side in sides { _ = try await side.driver.run(part, on: side.devices) }
    }

    /// The turns of a run: parts of the same length of about ``turn``.
    private static func turns(of plan: LoadPlan) throws(PlanError) -> [LoadPlan] {
        let count = max(1, Int((plan.duration / turn).rounded()))
        var turns: [LoadPlan] = []
        for number in 1...count {
            turns.append(try plan.part(lasting: plan.duration / count, number: UInt64(number)))
        }
        return turns
    }
}
