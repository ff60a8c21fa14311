import FleetProtocol
import ProcessSupport
import UserText

/// The content of `fleet status`: the controller's report joined with the supervisor's processes.
struct StatusSummary: Sendable {
    /// The controller's report; nil if it did not answer.
    let report: StatusReport?
    /// The nodes that are online, with their machines; of a fleet on the network only.
    var nodes: [CounterReport.Node] = []
    /// The supervisor's processes; nil if no supervisor answered.
    let processes: [FleetProcess]?
    /// The supervisor's summary; nil if no supervisor answered.
    var fleet: FleetSummary?
    /// The run directory, page and demo account of the fleet.
    let place: FleetLocation
    /// How the controller is reached.
    var connection: FleetConnection?
    /// Where the controller listens on the network; nil if it does not.
    var listening: NetworkAddress?
    /// The process ID of a supervisor that did not answer; nil if it answered or is not running.
    var silentSupervisor: Int32?
    /// What the run directory and the machine tell.
    var details = StatusDetails()

    /// The object for scripts; values that the controller or the supervisor did not report are null.
    var json: JSONValue {
        .object(members + details.members)
    }

    private var members: [JSONValue.Member] {
        [
            .init("devices", count(report?.devices)),
            .init("online", count(report?.online)),
            .init("stale", count(report?.stale)),
            .init("offline", count(report?.offline)),
            .init("togglesPerSecond", report.map { .number($0.togglesPerSecond) } ?? .null),
            .init("epoch", report.map { .unsigned($0.epoch.value) } ?? .null),
            .init("processes", .array((processes ?? []).map(Self.json))),
            .init("runDir", .string(place.runDirectory)),
            .init("scenario", .text(fleet?.scenario)),
            .init("uptimeSeconds", fleet.map { .integer($0.uptime.wholeMilliseconds / 1_000) } ?? .null),
            .init("page", .text(place.page)),
            .init("account", .text(place.passwordFile.map { _ in place.demo.account.name })),
            .init("email", .text(place.passwordFile.map { _ in place.demo.email.address })),
            .init("passwordFile", .text(place.passwordFile)),
            .init("listen", .text(listening?.description)),
            .init("connect", .text(connection?.membership?.address.description)),
            .init("nodes", .array(nodes.map(Self.json))),
            .init("conflicts", .array((report?.conflicts ?? []).map(Self.json))),
        ]
    }

    var lines: [String] { reportLines + placeLines + details.lines + processLines + nodeLines }

    /// The machines of the nodes, once there may be several.
    private var nodeLines: [String] {
        guard listening != nil || connection?.membership != nil, !nodes.isEmpty else { return [] }
        var table = TextTable([("NODE", .left), ("HOST", .left), ("DEVICES", .right)])
        for node in nodes { table.add([node.name.text, node.host, String(node.devices)]) }
        return table.lines
    }

    private var placeLines: [String] {
        [
            fleet.map { "scenario  \(SafeText.of($0.scenario)), up for \(TimeText.age($0.uptime))" },
            "run dir   \(place.runDirectory)",
            listening.map { "network   \($0)" },
            connection?.membership.map {
                "fleet     \($0.address), joined as \($0.rights.role.name) \($0.rights.name)"
            },
            place.page.map { "page      \($0)" },
            place.account.map { "account   \($0)" },
        ].compactMap { $0 }
    }

    private var reportLines: [String] {
        guard let report else { return ["device counts unavailable: no answer from the controller"] }
        let unknown = report.unknown > 0 ? ", \(report.unknown) not seen yet" : ""
        let rate = (report.togglesPerSecond * 10).rounded() / 10
        return [
            "\(report.online) of \(report.devices) devices online, \(report.stale) stale, "
                + "\(report.offline) offline\(unknown)",
            "\(rate) toggles/s, \(report.pending) pending, loop lag \(report.loopLagUs) µs, "
                + "epoch \(report.epoch)",
            report.online < report.devices
                ? "`fleet devices --filter 'not online'` lists the devices that are not online" : nil,
        ].compactMap { $0 } + report.conflicts.map { "\($0.node): \(SafeText.of($0.text))" }
    }

    private var processLines: [String] {
        guard let processes else {
            guard let silentSupervisor else {
                return connection?.membership == nil ? ["no fleet is running here"] : []
            }
            return ["the supervisor (pid \(silentSupervisor)) does not answer: run `fleet doctor`"]
        }
        var table = TextTable([
            ("PROCESS", .left), ("PID", .right), ("STATE", .left), ("RESTARTS", .right), ("LAST END", .left),
        ])
        for process in processes {
            table.add([
                process.name, process.processID.map(String.init) ?? "-", process.state.name,
                String(process.restarts), process.lastEnd,
            ])
        }
        return table.lines
    }

    private func count(_ count: UInt32?) -> JSONValue { count.map { .integer(Int64($0)) } ?? .null }

    private static func json(_ node: CounterReport.Node) -> JSONValue {
        [
            "name": .string(node.name.text), "host": .string(node.host),
            "devices": .unsigned(UInt64(node.devices)),
        ]
    }

    private static func json(_ conflict: NodeConflict) -> JSONValue {
        func json(_ run: NodeRun) -> JSONValue { ["host": .string(run.host), "boot": .text(run.bootID)] }
        return [
            "node": .string(conflict.node.text), "serving": json(conflict.serving),
            "refused": json(conflict.refused),
        ]
    }

    private static func json(_ process: FleetProcess) -> JSONValue {
        [
            "name": .string(process.name),
            "pid": process.processID.map { .integer(Int64($0)) } ?? .null,
            "state": .string(process.state.name),
        ]
    }
}

extension NodeConflict {
    /// The conflict in words, without the name of the node.
    var text: String { "two processes run: \(serving) has the devices, and \(refused) is refused" }
}
