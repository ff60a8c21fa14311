import ControllerCore
import ControllerSupport
import DeviceCore
import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore
import ProcessSupport
import Synchronization
import UserFiles
import UserText

/// What tests control of a server: its fleet, its clock, the faults of its cloud, and the recorded requests.
///
/// Each operation returns when Sensibo's API shows its effect.
struct TestServer: Sendable {
    /// The longest wait until the API shows an effect.
    private static let showTimeout: Duration = .seconds(5)

    let host: FleetHost
    let clock: TestClock
    /// A client with the session of the account's owner.
    let client: FleetClient
    let owner: TestOwner
    let fleet: FleetLink
    let cloud: Cloud
    let keys: IdempotencyKeys
    let journal: RequestJournal
    let faults: TestCloudFaults

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
    private func show(_ positions: [AccountID: StreamPosition]) async {
        for replica in await fleet.replicas.all {
            guard let position = positions[replica.account] else { continue }
            await replica.waitForPosition(position, within: Self.showTimeout)
        }
    }

    /// Waits until the API can answer.
    func becomeReady() async throws(TestServerError) {
        _ = try await replica
        await show(await host.positions())
    }

    // MARK: Time

    /// Begins again as at the start: states, history, faults, the journal and the clock. Keys and sessions
    /// stay as they were at the start.
    func reset(showing date: WallTime?) async throws {
        let positions = await host.restart(showing: date)
        await client.renewTickets()
        for replica in await fleet.replicas.all { await replica.restart(seed: World.randomNumber()) }
        cloud.restart(with: faults.restart(at: clock.now))
        try await keys.removeAll()
        await show(positions)
        journal.removeAll()
    }

    /// Carries out changes of the clock in their order. Throws for a time that has passed.
    func change(_ changes: [ClockChange]) async throws(TestServerError) {
        for change in changes {
            switch change {
            case .hold(let isHeld): clock.hold(isHeld)
            case .advance(let time): await pass(time)
            case .set(let time):
                let ahead = clock.now.wall.duration(to: time)
                guard ahead >= .zero else { throw .past(time, now: clock.now.wall) }
                guard ahead <= ClockChange.longest else { throw .tooFar(time) }
                await pass(ahead)
            }
        }
    }

    private func pass(_ time: Duration) async { await show(await host.advance(by: time)) }

    // MARK: Faults

    func inject(_ form: FaultForm) async throws {
        switch form.kind {
        case .device(let fault, let delay):
            let devices = try await devices(form.devices)
            for part in devices.chunked(by: Limits.faultDevices) {
                _ = try await client.inject(
                    fault, into: part, for: fault.hasDuration ? form.duration : .zero, delay: delay)
            }
            await show(await host.positions())
        case .cloud(var fault):
            fault.pods = try await devices(form.devices).map(\.description)
            cloud.apply(try faults.inject(fault, for: form.duration, at: clock.now, cloud.report))
        }
    }

    /// Ends the faults of devices, or all faults if none are named; returns their number.
    func heal(_ names: [String]) async throws -> Int {
        let devices = try await devices(names)
        var ended = 0
        for part in devices.isEmpty ? [[]] : devices.chunked(by: Limits.faultDevices) {
            ended += Int(try await client.heal(part).devices)
        }
        if names.isEmpty {
            let (plan, count) = faults.heal(at: clock.now, cloud.report)
            cloud.apply(plan)
            ended += count
        }
        await show(await host.positions())
        return ended
    }

    func begin(_ scenario: ScenarioChoice) async throws {
        let now = clock.now
        _ = try await client.changeScenario(to: scenario.argument, beganAt: now.wall)
        cloud.apply(faults.begin(scenario.cloudDay, at: now))
        await show(await host.positions())
    }

    // MARK: Devices

    /// Changes an air conditioner as with its hand remote, or switches it on or off if no change is given.
    func useRemote(of device: DeviceID, _ change: ACStateChange?) async throws(TestServerError) {
        let (objection, positions) = await host.changeNode { node, effects in
            node.useHandRemote(of: device, change, into: &effects)
        }
        if let objection { throw .impossible(objection) }
        await show(positions)
    }

    func setAir(of device: DeviceID, _ form: RoomForm) async {
        let (_, positions) = await host.changeNode { node, effects in
            node.setAir(
                of: device, celsius: form.celsius, humidityPercent: form.humidityPercent, into: &effects)
        }
        await show(positions)
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
            guard let pod = pods.first(where: { $0.name == name || $0.device.description == name }) else {
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

    var description: String {
        switch self {
        case .noDevice(let name, let known):
            "no device \(SafeText.of(name)); there are \(known.prefix(20).joined(separator: ", "))"
                + (known.count > 20 ? " and \(known.count - 20) more" : "")
        case .past(let time, let now):
            "the clock shows \(TimeText.iso8601(now)) and goes forwards only: \(TimeText.iso8601(time)) has passed"
        case .tooFar(let time):
            "\(TimeText.iso8601(time)) is more than \(DurationText.text(ClockChange.longest)) ahead"
        case .impossible(let why): why
        case .tooManyFaults: "too many cloud faults, or too many pods in them: end some with DELETE /faults"
        case .notReady: "the gateway has no room for the account"
        }
    }
}

/// The cloud faults of a test, of which there is no supervisor.
final class TestCloudFaults: Sendable {
    private let seed: UInt64
    private let day: CloudDay
    private let schedule: Mutex<CloudFaultSchedule>

    init(seed: UInt64, day: CloudDay, at start: Moment) {
        (self.seed, self.day) = (seed, day)
        schedule = Mutex(Self.begun(seed, day, at: start))
    }

    private static func begun(_ seed: UInt64, _ day: CloudDay, at now: Moment) -> CloudFaultSchedule {
        var schedule = CloudFaultSchedule(seed: seed, day: day, beganAt: now.wall)
        schedule.pass(to: now.monotonic)
        return schedule
    }

    func plan(at now: Moment) -> CloudPlan { schedule.withLock { $0.plan(at: now.monotonic) } }

    func restart(at now: Moment) -> CloudPlan {
        schedule.withLock { schedule in
            schedule = Self.begun(seed, day, at: now)
            return schedule.plan(at: now.monotonic)
        }
    }

    func begin(_ day: CloudDay, at now: Moment) -> CloudPlan {
        schedule.withLock { schedule in
            schedule.begin(day, beganAt: now.wall, at: now.monotonic)
            return schedule.plan(at: now.monotonic)
        }
    }

    func inject(
        _ fault: CloudFault, for time: Duration, at now: Moment, _ report: CloudReport
    ) throws(TestServerError) -> CloudPlan {
        let plan = schedule.withLock { schedule -> CloudPlan? in
            _ = schedule.count(report)
            schedule.pass(to: now.monotonic)
            guard schedule.objection(to: fault) == nil else { return nil }
            schedule.inject(fault, for: time, at: now.monotonic)
            return schedule.plan(at: now.monotonic)
        }
        guard let plan else { throw .tooManyFaults }
        return plan
    }

    func heal(at now: Moment, _ report: CloudReport) -> (plan: CloudPlan, ended: Int) {
        schedule.withLock { schedule in
            _ = schedule.count(report)
            schedule.pass(to: now.monotonic)
            let ended = Int(schedule.heal(at: now.monotonic))
            return (schedule.plan(at: now.monotonic), ended)
        }
    }
}

/// The owner of a test server's account, with a session and a key of Sensibo's API.
struct TestOwner: Sendable {
    /// The longest time between the fleet's date and the machine's, a century.
    private static let longestDifference: Duration = .seconds(100 * 366 * 86_400)

    let session: Session
    let password = String(CellToken(.make(), in: nil).text.prefix(16))
    let token = Token.make()
    let key = Token.make()

    init(of names: DemoNames) {
        session = Session(account: names.account, email: names.email, role: .owner, isOperator: true)
    }

    var credentials: Credentials { Credentials(user: session.email, token: token) }

    /// Adds the user, the session and the key to what a controller starts with.
    func controller(seed: UInt64, at start: WallTime) -> ControllerConfiguration {
        var configuration = ControllerConfiguration(
            epoch: Epoch(1), users: [.init(session: session, passwordHash: password)],
            sessions: [.init(digest: token.digest, email: session.email, openedAt: start)], seed: seed)
        // The commands of a shell have the machine's date, and the fleet may have any other.
        configuration.retention.idAhead = Self.longestDifference
        configuration.retention.longest = Self.longestDifference
        guard let name = APIKey.Name("test") else { preconditionFailure("test names a key") }
        configuration.keys = [
            .init(
                digest: key.digest,
                key: APIKey(name: name, user: session.email, madeAt: start, scope: .switch))
        ]
        return configuration
    }
}

extension Array {
    fileprivate func chunked(by count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
