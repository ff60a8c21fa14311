import ArgumentParser
import FleetClient
import FleetProtocol
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
        help: ArgumentHelp(
            "Sort by columns, the first counts most; - reverses: site,-room.", valueName: "columns"),
        transform: DeviceOrder.parse)
    var sort: DeviceOrder?

    @Option(
        help: ArgumentHelp(
            "List only devices that satisfy a condition, such as offline.", valueName: "condition"),
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
