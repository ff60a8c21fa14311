import ArgumentParser
import FleetClient
import FleetProtocol
import FleetReplica
import ProcessSupport
import UserText

struct DevicesCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices of the account, and watch their changes.",
        discussion: """
            A part of several names selects all of them here. IDs, whole names, patterns, site:NAME, conditions \
            and all select the same devices as in every other command.

            With --watch it prints the list, then a line for each change, until Ctrl-C. The column CHANGE says \
            whether a device was added to the list, changed, or removed. New measurements alone are no change.

            A name that begins with =, +, - or @ is a formula for spreadsheets. Use --csv-safe for a file that \
            you open with one; other programs read the names unchanged without it.

            COLUMNS
              id name state mode target fan room humidity presence node site model labels version as-of

            EXAMPLES
              fleet devices
              fleet devices bedroom
              fleet devices 'bedroom ?' VMe9BNPT
              fleet devices -o wide --sort site,-room
              fleet devices --filter 'offline or temperature > 26'
              fleet devices --watch --filter offline -o json
              fleet devices -o csv > devices.csv
              fleet devices --json | jq -r 'select(.presence != "online") | .name'
            """)

    @Argument(help: .devices, completion: .devices) var selectors: [String] = []

    @Option(
        name: [.customShort("o"), .long],
        help: "The format: table; wide, with every column; json; csv; or name.")
    var output: DeviceFormat?

    @Option(
        parsing: .unconditional,
        help: .value("columns", "Sort by columns, the first counts most; - reverses: site,-room."),
        transform: DeviceOrder.parse)
    var sort: DeviceOrder?

    @Option(
        help: .value("condition", "List only devices that satisfy a condition, such as offline."),
        transform: Condition.argument)
    var filter: Condition?

    @Flag(name: [.customShort("w"), .long], help: "Print the list, then a line for each change.")
    var watch = false

    @OptionGroup var csv: CSVOptions
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(!csv.csvSafe || output == .csv, "--csv-safe needs -o csv")
        try require(
            !client.json.isWanted || output == nil || output == .json, "--json is -o json: give one of them")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try client.access(in: surroundings)
        let format = client.json.isWanted ? .json : output ?? .table
        let query = DeviceQuery(selectors: selectors, filter: filter, order: sort)
        let needsLabels = format.hasLabels || sort?.needsLabels == true
        guard !watch else {
            let labels = needsLabels ? try await access.withSession(Self.labels) : [:]
            _ = try await access.follow(DeviceChanges(query, as: format, csv.text, labels: labels))
            return .done
        }
        let (directory, labels) = try await access.withSession { client in
            let directory = DeviceDirectory(try await client.devices())
            return (directory, needsLabels ? try await Self.labels(with: client) : [:])
        }
        let devices = try query.devices(of: directory)
        let lines = devices.map { DeviceLine(device: $0, labels: labels[$0.id] ?? []) }
        var writer = DeviceWriter(format, csv.text)
        for line in writer.lines(of: query.sorted(lines)) { try surroundings.print(line) }
        if format.isTable { surroundings.notify("\(devices.count) of \(directory.devices.count) devices") }
        return .done
    }

    private static func labels(with client: FleetClient) async throws -> [DeviceID: [Label]] {
        let labelled = try await client.labelledDevices().map { ($0.device, $0.labels) }
        return Dictionary(labelled) { _, later in later }
    }
}

extension DeviceFormat: ExpressibleByArgument {}

extension DeviceOrder {
    /// Parses the columns of `--sort`.
    fileprivate static func parse(_ text: String) throws -> DeviceOrder {
        try DeviceOrder(text).orInvalid(
            "'\(SafeText.of(text))' names no columns; write some of \(DeviceColumn.names), "
                + "separated by commas, each with - before it to reverse it")
    }
}

extension Condition {
    static func argument(_ text: String) throws -> Condition {
        try valid { try parse(text) }.orInvalid(
            "the condition is empty; write one, such as 'device \"Bedroom 7\" on'")
    }
}

/// Lists the devices of a replica, and then reports their changes: `fleet devices --watch`. A change of the
/// state, the presence, the place or the settings has a line. Measurements have none, unless a device
/// satisfies the condition because of them, or no longer does.
struct DeviceChanges: FleetReader {
    let query: DeviceQuery
    let labels: [DeviceID: [Label]]
    private var writer: DeviceWriter
    /// The devices in the list as last written; nil before the list was written.
    private var listed: [DeviceID: ListedDevice]?
    private var condition: Condition?

    init(_ query: DeviceQuery, as format: DeviceFormat, _ csv: CSVText, labels: [DeviceID: [Label]]) {
        (self.query, self.labels) = (query, labels)
        writer = DeviceWriter(format, csv, isWatched: true)
    }

    mutating func read(_ event: FleetEvent, of replica: Replica, into results: inout [FleetReading]) {
        guard listed != nil else {
            if case .resync = event.body { list(replica, into: &results) }
            return
        }
        switch event.body {
        case .reported(let reported): report(reported.device.id, of: replica, into: &results)
        case .presence(let device, _), .added(let device), .settings(let device, _):
            report(device.id, of: replica, into: &results)
        case .removed(let device): remove(device.id, into: &results)
        case .node(let change):
            replica.forEachRow(ofNode: change.node) { report($0, of: replica, into: &results) }
        case .measured(let devices):
            for device in devices { report(device.device, of: replica, ifMoved: true, into: &results) }
        case .stale(let reason): results.append(.remark("changes may be missing: \(reason.text)"))
        case .resync: results.append(.remark("up to date again"))
        case .outcome, .connection, .service: break
        }
    }

    mutating func tick(_ replica: Replica, into results: inout [FleetReading]) {}

    private mutating func list(_ replica: Replica, into results: inout [FleetReading]) {
        var all: [ListedDevice] = []
        replica.forEachRow { all.append(ListedDevice($0, of: replica)) }
        do throws(CommandFailure) {
            let directory = DeviceDirectory(all)
            condition = try query.condition(in: directory)
            let devices = condition.map { condition in directory.devices.filter { condition.holds(of: $0) } }
            let lines = query.sorted((devices ?? directory.devices).map { line(of: $0, .listed) })
            listed = Dictionary(lines.map { ($0.device.id, $0.device) }) { _, later in later }
            results += writer.lines(of: lines).map(FleetReading.line)
        } catch {
            results.append(.end(error))
        }
    }

    private mutating func report(
        _ id: DeviceID, of replica: Replica, ifMoved: Bool = false, into results: inout [FleetReading]
    ) {
        if let row = replica.row(of: id) { report(row, of: replica, ifMoved: ifMoved, into: &results) }
    }

    /// Reports a device that is in the list, or was in it until now.
    private mutating func report(
        _ row: ReplicaRow, of replica: Replica, ifMoved: Bool = false, into results: inout [FleetReading]
    ) {
        let device = ListedDevice(row, of: replica)
        let wasListed = listed?[device.id] != nil
        let isListed = condition?.holds(of: device) ?? true
        guard wasListed != isListed || (isListed && !ifMoved) else { return }
        listed?[device.id] = isListed ? device : nil
        let change: DeviceLine.Change = !isListed ? .removed : wasListed ? .changed : .added
        results.append(.line(writer.line(of: line(of: device, change))))
    }

    /// Reports a device that has left the fleet, as it was last written.
    private mutating func remove(_ id: DeviceID, into results: inout [FleetReading]) {
        guard let device = listed?.removeValue(forKey: id) else { return }
        results.append(.line(writer.line(of: line(of: device, .removed))))
    }

    private func line(of device: ListedDevice, _ change: DeviceLine.Change) -> DeviceLine {
        DeviceLine(device: device, labels: labels[device.id] ?? [], change: change)
    }
}
