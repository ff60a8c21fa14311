import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

struct LabelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "List and set the labels of devices.",
        discussion: """
            A label is a short text such as kitchen or floor-2, of a-z, 0-9, '.', '_' and '-'. A device has \
            \(Limits.deviceLabels) at most. Every user of the account reads them; members and owners set them.

            EXAMPLES
              fleet label set 'Bedroom*' upstairs night
              fleet label list
              fleet label set "Bedroom 1"
            """,
        subcommands: [LabelListCommand.self, LabelSetCommand.self],
        defaultSubcommand: LabelListCommand.self)
}

struct LabelListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices that have labels.",
        discussion: """
            EXAMPLES
              fleet label list
              fleet label list --label night --json | jq -r .id
            """)

    @Option(help: "Only devices with this label.", transform: Label.parse) var label: Label?
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let (labelled, snapshot) = try await access.withSession { client in
            (try await client.labelledDevices(), try await client.devices())
        }
        let names = Dictionary(snapshot.rows.map { ($0.device, $0.name) }) { first, _ in first }
        let devices = labelled.filter { device in label.map(device.labels.contains) ?? true }
        let none = label.map { "no device has the label \($0)" } ?? "no device has labels"
        let columns: [TextTable.Column<LabelledDevice>] = [
            ("DEVICE", .left, { $0.device.description }), ("NAME", .left, { names[$0.device] ?? "" }),
            ("LABELS", .left, { $0.labels.map(\.text).joined(separator: " ") }),
        ]
        return devices.isEmpty
            ? CommandOutput(json: [], lines: [none]) : .list(devices, columns, json: \.json)
    }
}

struct LabelSetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Replace the labels of a device, or of several.",
        discussion: """
            Without labels, the devices lose those that they have.

            EXAMPLES
              fleet label set "Bedroom 1" upstairs night
              fleet label set 'Bedroom*' upstairs
              fleet label set "Bedroom 1"
            """)

    @Argument(help: .devices, completion: .devices) var device: String

    @Argument(
        help: "At most \(Limits.deviceLabels) labels of a-z, 0-9, '.', '_' and '-'; none removes them.",
        transform: Label.parse)
    var labels: [Label] = []

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(labels.count <= Limits.deviceLabels, "a device has at most \(Limits.deviceLabels) labels")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let (count, stored) = try await access.withSession { client in
            let chosen = try await access.devices(selectedBy: [device], with: client)
            return (chosen.count, try await client.setLabels(labels, of: chosen.map(\.id)))
        }
        let devices = count == 1 ? "1 device" : "\(count) devices"
        let text = stored.map(\.text).joined(separator: ", ")
        return CommandOutput(
            ["devices": count, "labels": stored.map(\.text)],
            stored.isEmpty ? "no labels: \(devices)" : "labels \(text): \(devices)")
    }
}

extension Label {
    fileprivate static func parse(_ text: String) throws -> Label {
        try Label(text).orInvalid("a label has 1 to \(Limits.labelBytes) of a-z, 0-9, '.', '_' and '-'")
    }
}
