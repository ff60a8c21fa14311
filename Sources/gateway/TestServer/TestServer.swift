import DeviceCore
import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore
import ProcessSupport
import UserFiles
import UserText

/// What tests control of a server: its fleet, its clock, the faults of its cloud, and the recorded requests.
///
/// Each operation returns when Sensibo's API shows its effect.
struct TestServer: Sendable {
    /// The longest wait until the API shows an effect.
    private static let showTimeout: Duration = .seconds(20)

    let host: FleetHost
    let clock: TestClock
    /// A client with the session of the account's owner.
    let client: FleetClient
    let owner: TestOwner
    let fleet: FleetLink
    let cloud: Cloud
    let keys: IdempotencyKeys
    let journal: RequestJournal
    let directory: RunDirectory
    let faults: TestCloudFaults
    /// One operation at a time: a reset waits until the time of an advance has passed.
    let operations = OneAtATime()

    /// The replica of the account, which Sensibo's API reads.
    var replica: AccountReplica {
        get async throws(TestServerError) {
            let replica = await fleet.replicas.replica(
                of: owner.session.account, in: nil, as: owner.credentials.unattended, with: client)
            guard let replica else { throw .notReady }
            return replica
        }
    }

    /// Waits until Sensibo's API shows what has happened up to these positions.
    private func show(_ positions: [AccountID: StreamPosition]) async throws(TestServerError) {
        for replica in await fleet.replicas.all {
            guard let position = positions[replica.account] else { continue }
            guard await replica.waitForPosition(position, within: Self.showTimeout) else { throw .notShown }
        }
    }

    /// Waits until the API can answer. The first test begins as all others do, with a reset.
    func becomeReady(isHeld: Bool) async throws {
        _ = try await replica
        try await reset(showing: nil, isHeld: isHeld)
    }

    // MARK: Time

    /// Begins again as at the start: states, history, faults, the journal and the clock. Keys and sessions
    /// stay as they were at the start. Requests that are under way end, and reach no later test.
    func reset(showing date: WallTime?, isHeld: Bool) async throws {
        try await operations.run {
            await client.abandonRequests()
            // First, so that no waiting change reaches the next fleet, and again for the time of its start.
            cloud.restart(with: faults.restart(at: clock.now))
            let positions = await host.restart(showing: date, isHeld: isHeld)
            cloud.restart(with: faults.restart(at: clock.now))
            await client.renewTickets()
            for replica in await fleet.replicas.all {
                await replica.restart(
                    as: owner.credentials.unattended,
                    from: positions[replica.account]?.epoch ?? .zero, seed: World.randomNumber())
            }
            try await keys.removeAll()
            try writeSession()
            try await show(positions)
            if clock.past > .zero { try await pass(clock.past) }
            journal.removeAll()
        }
    }

    /// Writes the session of the commands, which a command may have ended.
    func writeSession() throws {
        try StoredSession(owner.session, token: owner.token).write(to: directory.sessionFile)
    }

    /// Carries out changes of the clock in their order. Throws for a time that has passed, without a change.
    func change(_ changes: [ClockChange]) async throws {
        try await operations.run {
            var end = clock.now.wall
            for change in changes {
                switch change {
                case .hold: break
                case .advance(let time): end = end.advanced(by: time)
                case .set(let time):
                    guard time >= end else { throw TestServerError.past(time, now: end) }
                    guard end.duration(to: time) <= ClockChange.longest else {
                        throw TestServerError.tooFar(time)
                    }
                    end = time
                }
            }
            guard end <= ClockChange.end else { throw TestServerError.tooFar(end) }
            for change in changes {
                switch change {
                case .hold(let isHeld): clock.hold(isHeld)
                case .advance(let time): try await pass(time)
                case .set(let time): try await pass(max(.zero, clock.now.wall.duration(to: time)))
                }
            }
        }
    }

    /// Lets time pass in steps that the replicas can follow, so that no measurement is missing.
    private func pass(_ time: Duration) async throws(TestServerError) {
        let end = clock.now.monotonic.advanced(by: time)
        while true {
            let (positions, isDone) = await host.advance(to: end)
            try await show(positions)
            guard !isDone else { return }
        }
    }

    // MARK: Faults

    func inject(_ form: FaultForm) async throws { try await operations.run { try await begin(form) } }

    private func begin(_ form: FaultForm) async throws {
        switch form.kind {
        case .device(let fault, let delay):
            let devices = try await devices(form.devices)
            for part in devices.orders {
                _ = try await client.inject(
                    fault, into: part, for: fault.hasDuration ? form.duration : .zero, delay: delay)
            }
            try await show(await host.positions())
        case .cloud(var fault):
            fault.pods = try await devices(form.devices).map(\.description)
            _ = try begin(fault, for: form.duration)
        }
    }

    /// Injects a fault of the cloud, whose pods are device IDs. Returns the cloud's new plan.
    func inject(_ fault: CloudFault, for duration: Duration) async throws -> CloudPlan {
        try await operations.runAtOnce { try begin(fault, for: duration) }
    }

    private func begin(_ fault: CloudFault, for duration: Duration) throws(TestServerError) -> CloudPlan {
        let plan = try faults.inject(fault, for: duration, at: clock.now, cloud.report)
        cloud.apply(plan)
        return plan
    }

    /// Ends the faults of devices, or all faults if none are named; returns their number.
    func heal(_ names: [String]) async throws -> Int { try await operations.run { try await end(names) } }

    private func end(_ names: [String]) async throws -> Int {
        let devices = try await devices(names)
        var ended = 0
        for part in devices.isEmpty ? [[]] : devices.orders {
            ended += Int(try await client.heal(part).devices)
        }
        if names.isEmpty { ended += endCloud().ended }
        try await show(await host.positions())
        return ended
    }

    /// Ends the faults of the cloud. Returns its new plan, and their number.
    func healCloud() async throws -> (plan: CloudPlan, ended: Int) {
        try await operations.runAtOnce { endCloud() }
    }

    private func endCloud() -> (plan: CloudPlan, ended: Int) {
        let (plan, ended) = faults.heal(at: clock.now, cloud.report)
        cloud.apply(plan)
        return (plan, ended)
    }

    func begin(_ scenario: ScenarioChoice) async throws {
        try await operations.run {
            let now = clock.now
            _ = try await client.changeScenario(to: scenario.argument, beganAt: now.wall)
            cloud.apply(faults.begin(scenario.cloudDay, at: now))
            try await show(await host.positions())
        }
    }

    /// Begins the cloud's part of a scenario whose devices follow it already. Returns the cloud's new plan.
    func beginCloud(_ day: CloudDay) async throws -> CloudPlan {
        try await operations.runAtOnce {
            let plan = faults.begin(day, at: clock.now)
            cloud.apply(plan)
            return plan
        }
    }

    // MARK: Devices

    /// Changes an air conditioner as with its hand remote, or switches it on or off if no change is given.
    func useRemote(of device: DeviceID, _ change: ACStateChange?) async throws {
        let objection = try await changeNode { node, effects in
            node.useHandRemote(of: device, change, into: &effects)
        }
        if let objection { throw TestServerError.impossible(objection) }
    }

    func setRoom(of pod: Pod, _ form: RoomForm) async throws {
        let pods = await (try replica).readPods { Pod.all(of: $0, $1) }
        if let objection = form.objection(of: pod, among: pods) {
            throw TestServerError.impossible(objection)
        }
        try await changeNode(
            after: { try await replica.setRoom(of: pod.device, form, fromSecond: cloud.now.second) }
        ) { node, effects in
            node.setAir(
                of: pod.device, celsius: form.celsius, humidityPercent: form.humidityPercent, into: &effects)
        }
    }

    private func changeNode<Value: Sendable>(
        after prepare: @escaping @Sendable () async throws -> Void = {},
        _ body: @escaping @Sendable (inout Node, inout [Node.Effect]) -> Value
    ) async throws -> Value {
        try await operations.run {
            try await prepare()
            let (value, positions) = await host.changeNode(body)
            try await show(positions)
            return value
        }
    }

    func pod(_ name: String) async throws(TestServerError) -> Pod {
        let pods = try await pods(named: [name])
        return pods[0]
    }

    private func devices(_ names: [String]) async throws(TestServerError) -> [DeviceID] {
        try await pods(named: names).map(\.device)
    }

    /// Returns the pods with these names or IDs, in their order.
    private func pods(named names: [String]) async throws(TestServerError) -> [Pod] {
        guard !names.isEmpty else { return [] }
        let pods = await (try replica).readPods { Pod.all(of: $0, $1) }
        var found: [Pod] = []
        for name in names {
            let pod = pods.first { $0.name == name || $0.id == name || $0.device.description == name }
            guard let pod else {
                throw .noDevice(name, known: pods.map(\.name))
            }
            found.append(pod)
        }
        return found
    }
}

enum TestServerError: Error, CustomStringConvertible {
    case noDevice(String, known: [String])
    case past(WallTime, now: WallTime)
    case tooFar(WallTime)
    case impossible(String)
    case tooManyFaults
    case notReady
    case notShown

    var description: String {
        switch self {
        case .noDevice(let name, let known):
            "no device \(SafeText.of(name)); there are \(known.prefix(20).joined(separator: ", "))"
                + (known.count > 20 ? " and \(known.count - 20) more" : "")
        case .past(let time, let now):
            "the clock shows \(TimeText.iso8601(now)) and goes forwards only: \(TimeText.iso8601(time)) has passed"
        case .tooFar(let time):
            "\(TimeText.iso8601(time)) is too far: the clock goes up to "
                + "\(DurationText.text(ClockChange.longest)) at once, and to the end of 2099"
        case .impossible(let why): why
        case .tooManyFaults: "too many cloud faults, or too many pods in them: end some with DELETE /faults"
        case .notReady: "the gateway has no room for the account"
        case .notShown: "the effect is not visible yet: Sensibo's API is behind the fleet"
        }
    }
}
