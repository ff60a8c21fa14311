import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore
import UserText

/// The metrics in Prometheus' format: of the caller's account, or of all accounts if no key is needed.
struct MetricsRoutes: Sendable {
    /// The timeout of the controller's status, and of the node counters of each account.
    private static let timeout: Duration = .milliseconds(500)

    let fleet: FleetLink
    /// Nil for a fleet within this process.
    let processes: FleetProcesses?
    let meter: RequestMeter
    let cloud: Cloud
    let page: MetricsPage<FleetMeasurement>

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("metrics") { _, context in
            let text = await page.text(
                for: context.caller?.replica.place, measuring: { await measured() }, writing: written)
            return Response(
                status: .ok, headers: [.contentType: MetricsText.contentType],
                body: ResponseBody(byteBuffer: text))
        }
    }

    private func written(_ measurement: FleetMeasurement, for account: CellAccount?) -> ByteBuffer {
        var text = MetricsText()
        (account.map(measurement.narrowed) ?? measurement).write(to: &text)
        cloud.write(to: &text)
        meter.write(to: &text)
        return ByteBuffer(string: text.text)
    }

    private func measured() async -> FleetMeasurement {
        var measurement = FleetMeasurement()
        measurement.processes = await processes?.measured() ?? []
        let replicas = await fleet.replicas.all
        await withTaskGroup(of: FleetMeasurement.self) { group in
            for (cell, replicas) in Dictionary(grouping: replicas, by: \.place.cell) {
                group.addTask { await Self.measured(replicas, of: cell) }
            }
            for await one in group {
                measurement.controllers += one.controllers
                measurement.nodes += one.nodes
            }
        }
        measurement.controllers.sort { ($0.cell?.text ?? "") < ($1.cell?.text ?? "") }
        measurement.nodes.sort { ($0.account, $0.node.name.text) < ($1.account, $1.node.name.text) }
        for replica in replicas { measurement.accounts.append(await replica.measured) }
        return measurement
    }

    /// Measures the controller and the nodes of a cell; after a timeout the gateway does not ask for further
    /// accounts.
    private static func measured(_ replicas: [AccountReplica], of cell: CellName?) async -> FleetMeasurement {
        var (measurement, controller) = (FleetMeasurement(), ControllerMetrics(of: cell))
        if let replica = replicas.first {
            controller.status = try? await replica.client.status(as: replica.credentials, timeout: timeout)
        }
        for replica in replicas {
            do throws(FleetError) {
                let report = try await replica.client.counterReport(
                    as: await replica.credentials, timeout: timeout)
                controller.counters = report.controller
                measurement.nodes += report.nodes.map { (account: replica.place, node: $0) }
            } catch {
                // The user whose credentials the replica has may have been removed.
                guard case .refused = error else { break }
            }
        }
        measurement.controllers = [controller]
        return measurement
    }
}

/// The latest measurement, which serves all requests within a second, and its texts.
///
/// A measurement sends requests to the controller and the supervisor, and may need no key. So the gateway
/// measures once at a time and at most once a second, and requests that arrive during a measurement wait for
/// it. The text for an account, or for all, is formatted once per measurement.
actor MetricsPage<Measurement: Sendable> {
    private enum State {
        case unmeasured
        case measuring(waiting: [CheckedContinuation<Latest, Never>])
        case measured(Latest)
    }

    private struct Latest {
        let measurement: Measurement
        let number: UInt64
        let since: MonotonicTime
    }

    /// The maximum age of an answer, from the start of its measurement.
    static var age: Duration { .seconds(1) }

    private let clock: @Sendable () -> Moment
    private var state = State.unmeasured
    private var lastNumber: UInt64 = 0
    private var texts: (number: UInt64, of: [CellAccount?: ByteBuffer]) = (0, [:])

    init(clock: @escaping @Sendable () -> Moment) { self.clock = clock }

    /// Returns the newest text for an account; nil for all accounts. Later requests do not get the
    /// measurement of a cancelled task.
    func text(
        for account: CellAccount?, measuring measure: @Sendable () async -> Measurement,
        writing write: @Sendable (Measurement, CellAccount?) -> ByteBuffer
    ) async -> ByteBuffer {
        let latest = await latest(measuring: measure)
        if texts.number < latest.number { texts = (latest.number, [:]) }
        guard texts.number == latest.number else { return write(latest.measurement, account) }
        if let text = texts.of[account] { return text }
        let text = write(latest.measurement, account)
        texts.of[account] = text
        return text
    }

    private func latest(measuring measure: @Sendable () async -> Measurement) async -> Latest {
        let now = clock().monotonic
        switch state {
        case .measured(let latest) where latest.since.duration(to: now) < Self.age: return latest
        case .measuring: return await withCheckedContinuation { wait($0) }
        case .unmeasured, .measured: break
        }
        state = .measuring(waiting: [])
        let measurement = await measure()
        guard case .measuring(let waiting) = state else {
            preconditionFailure("measurement ended in state \(state)")
        }
        lastNumber += 1
        let latest = Latest(measurement: measurement, number: lastNumber, since: now)
        state = Task.isCancelled ? .unmeasured : .measured(latest)
        for one in waiting { one.resume(returning: latest) }
        return latest
    }

    private func wait(_ waiter: CheckedContinuation<Latest, Never>) {
        guard case .measuring(var waiting) = state else {
            preconditionFailure("measurement read in state \(state)")
        }
        waiting.append(waiter)
        state = .measuring(waiting: waiting)
    }
}

/// A measurement of the fleet: its processes, the controllers of the accounts, and all mirrored accounts.
struct FleetMeasurement: Sendable {
    var processes: [(process: FleetProcess, use: ProcessUse?)] = []
    var controllers: [ControllerMetrics] = []
    var nodes: [NodeMetrics.Report] = []
    var accounts: [FleetMetrics.Report] = []

    /// Returns the part that one account may read: its own series, that of its controller, and those of all
    /// processes except nodes of other accounts.
    func narrowed(to account: CellAccount) -> FleetMeasurement {
        var own = self
        own.nodes.removeAll { $0.account != account }
        own.accounts.removeAll { $0.account != account }
        own.controllers.removeAll { $0.cell != account.cell }
        let (all, mine) = (Set(nodes.map(\.node.name.text)), Set(own.nodes.map(\.node.name.text)))
        own.processes.removeAll { process, _ in
            // The supervisor's nodes have numbers; other processes have names without.
            let isNode = all.contains(process.name) || process.name.hasPrefix("node-")
            return isNode && !mine.contains(process.name)
        }
        return own
    }

    func write(to text: inout MetricsText) {
        ProcessMetrics.write(processes, to: &text)
        ControllerMetrics.write(controllers, to: &text)
        NodeMetrics.write(nodes, to: &text)
        FleetMetrics.write(accounts, to: &text)
    }
}

struct HealthRoutes: Sendable {
    let fleet: FleetLink

    /// Adds the liveness probe, and to the watched routes the readiness probe.
    func add(to router: some RouterMethods<GatewayContext>, watched: some RouterMethods<GatewayContext>) {
        // An answer shows that the process is alive.
        router.get("healthz") { _, _ in WebResponse.text("ok\n") }
        watched.get("readyz") { _, _ in
            if let why = await fleet.whyNotReady {
                return WebResponse.text("not ready: \(why)\n", status: .serviceUnavailable)
            }
            return WebResponse.text("ok\n")
        }
    }
}
