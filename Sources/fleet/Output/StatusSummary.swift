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
    var json: JSONObject { members + details.members }

    private var members: JSONObject {
        [
            "devices": report?.devices, "online": report?.online, "stale": report?.stale,
            "offline": report?.offline, "togglesPerSecond": report?.togglesPerSecond,
            "epoch": report?.epoch.value, "processes": (processes ?? []).map(Self.json),
            "runDir": place.runDirectory, "scenario": fleet?.scenario,
            "uptimeSeconds": fleet.map { $0.uptime.wholeMilliseconds / 1_000 }, "page": place.page,
            "account": place.passwordFile.map { _ in place.demo.account.name },
            "email": place.passwordFile.map { _ in place.demo.email.address },
            "passwordFile": place.passwordFile, "listen": listening?.description,
            "connect": connection?.membership?.address.description, "nodes": nodes.map(Self.json),
            "conflicts": (report?.conflicts ?? []).map(Self.json),
        ]
    }

    var lines: [String] { reportLines + placeLines + details.lines + processLines + nodeLines }

    /// The machines of the nodes, once there may be several.
    private var nodeLines: [String] {
        guard listening != nil || connection?.membership != nil, !nodes.isEmpty else { return [] }
        let columns: [TextTable.Column<CounterReport.Node>] = [
            ("NODE", .left, { $0.name.text }), ("HOST", .left, { $0.host }),
            ("DEVICES", .right, { String($0.devices) }),
        ]
        return TextTable(of: nodes, columns).lines
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
        let columns: [TextTable.Column<FleetProcess>] = [
            ("PROCESS", .left, { $0.name }), ("PID", .right, { $0.processID.map(String.init) ?? "-" }),
            ("STATE", .left, { $0.state.name }), ("RESTARTS", .right, { String($0.restarts) }),
            ("LAST END", .left, { $0.lastEnd }),
        ]
        return TextTable(of: processes, columns).lines
    }

    private static func json(_ node: CounterReport.Node) -> JSONObject {
        ["name": node.name.text, "host": node.host, "devices": node.devices]
    }

    private static func json(_ conflict: NodeConflict) -> JSONObject {
        func json(_ run: NodeRun) -> JSONObject { ["host": run.host, "boot": run.bootID.description] }
        return [
            "node": conflict.node.text, "serving": json(conflict.serving), "refused": json(conflict.refused),
        ]
    }

    private static func json(_ process: FleetProcess) -> JSONObject {
        ["name": process.name, "pid": process.processID, "state": process.state.name]
    }
}

extension NodeConflict {
    /// The conflict in words, without the name of the node.
    var text: String { "two processes run: \(serving) has the devices, and \(refused) is refused" }
}
