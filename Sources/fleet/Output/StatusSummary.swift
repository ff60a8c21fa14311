import FleetProtocol
import FleetTime
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

    /// The object for scripts; values that the controller or the supervisor did not report are null.
    var json: JSONValue {
        [
            "devices": count(report?.devices),
            "online": count(report?.online),
            "stale": count(report?.stale),
            "offline": count(report?.offline),
            "togglesPerSecond": report.map { .number($0.togglesPerSecond) } ?? .null,
            "epoch": report.map { .unsigned($0.epoch.value) } ?? .null,
            "processes": .array((processes ?? []).map(Self.json)),
            "runDir": .string(place.runDirectory),
            "scenario": .text(fleet?.scenario),
            "uptimeSeconds": fleet.map { .integer($0.uptime.wholeMilliseconds / 1_000) } ?? .null,
            "page": .text(place.page),
            "account": .text(place.passwordFile.map { _ in place.demo.account.name }),
            "email": .text(place.passwordFile.map { _ in place.demo.email.address }),
            "passwordFile": .text(place.passwordFile),
            "listen": .text(listening?.description),
            "connect": .text(connection?.membership?.address.description),
            "nodes": .array(nodes.map(Self.json)),
        ]
    }

    /// The lines for people.
    var lines: [String] { reportLines + placeLines + processLines + nodeLines }

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
        ]
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

    private static func json(_ process: FleetProcess) -> JSONValue {
        [
            "name": .string(process.name),
            "pid": process.processID.map { .integer(Int64($0)) } ?? .null,
            "state": .string(process.state.name),
        ]
    }
}
