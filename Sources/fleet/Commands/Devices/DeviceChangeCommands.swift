import ArgumentParser
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Add, rename and remove devices of the running fleet.",
        discussion: """
            The changes are stored in the run directory, and apply to every later start. They need the right \
            to operate the fleet, as the demo account's owner has it. Devices of nodes on other machines \
            cannot be renamed or removed.

            EXAMPLES
              fleet device add --count 5
              fleet device rename "Attic 9" "Server room"
              fleet device remove "Attic 10" --yes
            """,
        subcommands: [DeviceAddCommand.self, DeviceRenameCommand.self, DeviceRemoveCommand.self])
}

struct DeviceRenameCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Change the name of a device.",
        discussion: """
            Every program shows the new name, also after a restart. ID, state and history stay. A name that \
            another device has is refused.

            EXAMPLES
              fleet device rename "Attic 9" "Server room"
              fleet device rename "Attic 8" "Server room 2" --json
            """)

    /// The time within which the controller shows a new name.
    private static let timeout: Duration = .seconds(5)
    private static let interval: Duration = .milliseconds(100)

    @Argument(help: .devices, completion: .devices) var device: String
    @Argument(help: .value("new-name", "1 to \(Limits.nameBytes) bytes.")) var name: String
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try LocalDevices.checkName(name)
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let register = LocalDevices(access: access)
        let renamed = try await access.withSession { client in
            try await register.checkPermission(of: client)
            let found = try await DeviceDirectory.search(with: client, in: access.surroundings) {
                directory throws(CommandFailure) in
                let found = try directory.device(device)
                try register.refuseDuplicate(name, of: found.id, in: directory)
                return found
            }
            try register.check([found])
            try access.directory.changeDevices { $0.names[found.id] = name }
            try await arrive(found, with: client, in: access.surroundings)
            return found
        }
        return CommandOutput(
            ["id": "\(renamed.id)", "name": name, "before": renamed.name],
            "\(renamed.label) is now called \(SafeText.of(name))")
    }

    private func arrive(
        _ device: ListedDevice, with client: FleetClient, in surroundings: Surroundings
    ) async throws {
        let deadline = surroundings.now().monotonic.advanced(by: Self.timeout)
        while try await client.devices().rows.first(where: { $0.device == device.id })?.name != name {
            guard surroundings.now().monotonic < deadline else {
                throw CommandFailure(
                    .undecided, "the name is stored, but the node has not sent it within 5 s",
                    advice: "check `fleet status`; the name applies when the node runs")
            }
            try await surroundings.pause(Self.interval)
        }
    }
}

struct DeviceRemoveCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove devices from the fleet for good.",
        discussion: """
            Observers see the devices leave, and their pending requests end. The other devices are not \
            disturbed. Outcomes of their requests, posts and labels stay. The devices do not return: to \
            undo it, remove their IDs from `devices.json` in the run directory of the stopped fleet. \
            Without --yes it asks for confirmation.

            EXAMPLES
              fleet device remove "Attic 10" --yes
              fleet device remove "Attic 7" --yes --json
            """)

    /// The number of attempts to send an order while a node has not read that its devices were removed.
    private static let tries = 50
    private static let interval: Duration = .milliseconds(100)
    private static let namedAtMost = 10

    @Argument(help: .devices, completion: .devices) var devices: [String]
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var client: ClientOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try client.access(in: surroundings)
        let register = LocalDevices(access: access)
        let chosen = try await access.withSession { client in
            try await register.checkPermission(of: client)
            return try await access.devices(selectedBy: devices, with: client)
        }
        try register.check(chosen)
        guard confirmation.permits("remove \(Self.text(of: chosen)) for good?", in: surroundings) else {
            return .refused
        }
        try access.directory.changeDevices { register in
            for device in chosen {
                register.removed.insert(device.id)
                register.names[device.id] = nil
            }
        }
        try await access.withSession { client in
            for order in chosen.map(\.id).orders { try await retire(order, with: client, in: surroundings) }
            // The controller has then stored that the devices have left.
            _ = try await client.retire([])
        }
        for device in chosen {
            let line: JSONObject = ["id": "\(device.id)", "name": device.name]
            try surroundings.print(client.json.isWanted ? line.line : "\(device.label): removed")
        }
        return .done
    }

    /// Repeats an order until every node has confirmed that it no longer hosts the devices.
    private func retire(
        _ devices: [DeviceID], with client: FleetClient, in surroundings: Surroundings
    ) async throws {
        for _ in 0..<Self.tries {
            let report = try await client.retire(devices)
            if report.refusingNodes == 0, report.silentNodes == 0 { return }
            try await surroundings.pause(Self.interval)
        }
        throw CommandFailure(
            .undecided, "a node has not confirmed that its devices have left",
            advice: "check `fleet status`, then repeat the command")
    }

    private static func text(of devices: [ListedDevice]) -> String {
        guard devices.count > 1 else { return devices.first?.longLabel ?? "no device" }
        let more = devices.count - namedAtMost
        let names = devices.prefix(namedAtMost).map(\.label) + (more > 0 ? ["\(more) more"] : [])
        return "\(devices.count) devices (\(names.joined(separator: ", ")))"
    }
}

struct DeviceAddCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add devices to the running fleet, also for later starts.",
        discussion: """
            The devices run on an additional node. A later `fleet up` with the same --devices starts them, \
            too. `fleet scale` changes only the running fleet; after it, nothing can be added until the next \
            start. Without --name the scenario names the devices.

            EXAMPLES
              fleet device add
              fleet device add --count 5 --json
              fleet device add --name "Server room 3" --site Home
            """)

    @Option(help: "The number of devices.") var count = 1
    @Option(help: "The name of a single device.") var name: String?
    @Option(help: "Assign them to this site of the account.") var site: String?
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require((1...FleetPlan.deviceLimit).contains(count), "--count: 1 to \(FleetPlan.deviceLimit)")
        guard let name else { return }
        try require(count == 1, "--name: only one device can have a name; leave --count out")
        try LocalDevices.checkName(name)
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let devices = try await access.withSession { client in
            try await LocalDevices(access: access).checkPermission(of: client)
            var place: SiteReport?
            if let site { place = try await ControllerAccess.site(site, with: client) }
            let added = try await add(with: client, through: access)
            if let place { try await client.assign(added.map(\.id), to: place.site.id) }
            return added
        }
        return CommandOutput(
            json: devices.map { ["id": "\($0.id)", "name": $0.name] },
            lines: devices.map { "\($0.longLabel): added" })
    }

    private func add(
        with client: FleetClient, through access: ControllerAccess
    ) async throws -> [ListedDevice] {
        let local = LocalDevices(access: access)
        let register = try access.directory.deviceRegister()
        guard let started = register.started else {
            throw SupervisorAccess(directory: access.directory).silence
        }
        let seed = try access.directory.seed() ?? 1
        let before = started + register.added[started, default: []].reduce(0, +)
        let known = register.devices(among: before, seed: seed)
        try await checkSize(known, with: client)
        let indices = before..<register.indices(for: known + count, seed: seed)
        let ids = indices.map { DeviceID(fleetSeed: seed, index: UInt64($0)) }
            .filter { !register.removed.contains($0) }
        if let name {
            let directory = DeviceDirectory(try await client.devices())
            try local.refuseDuplicate(name, in: directory)
            try access.directory.changeDevices { for id in ids { $0.names[id] = name } }
        }
        do {
            _ = try await FleetScaling(access: access).run(to: known + count, with: client)
        } catch {
            if name != nil { try access.directory.changeDevices { for id in ids { $0.names[id] = nil } } }
            throw error
        }
        try access.directory.changeDevices { $0.added[started, default: []].append(indices.count) }
        let added = Set(ids)
        return DeviceDirectory(try await client.devices()).devices.filter { added.contains($0.id) }
    }

    /// Checks that the fleet was not scaled since its start: later starts could not have the same devices.
    private func checkSize(_ known: Int, with client: FleetClient) async throws {
        let present = Int(try await client.status().devices)
        guard present == known else {
            throw CommandFailure(
                .refused,
                "the fleet has \(Count.of(present, "device")), and would start with \(known) again",
                advice: "`fleet scale \(known)` undoes a scale; nodes of other machines add their own devices"
            )
        }
    }
}

/// The devices of a fleet that nodes of this machine host, and the register of their changes.
struct LocalDevices: Sendable {
    let access: ControllerAccess

    /// Refuses a name that is too long, or has invisible characters.
    static func checkName(_ name: String) throws {
        try require(
            (1...Limits.nameBytes).contains(name.utf8.count),
            "a name has 1 to \(Limits.nameBytes) bytes, and this one \(name.utf8.count)")
        if let problem = SafeText.problem(in: name) { throw ValidationError("name: \(problem)") }
    }

    func refuseDuplicate(
        _ name: String, of device: DeviceID? = nil, in directory: DeviceDirectory
    ) throws(CommandFailure) {
        let folded = SafeText.folded(name)
        let other = directory.devices.first { $0.id != device && SafeText.folded($0.name) == folded }
        guard let other else { return }
        throw CommandFailure(
            .usage, "\(other.longLabel) has that name already", advice: "choose another name")
    }

    /// Checks that the user may change which devices the fleet has.
    func checkPermission(of client: FleetClient) async throws {
        // An empty retirement changes nothing.
        _ = try await client.retire([])
    }

    /// Checks that nodes of this run directory host the devices.
    func check(_ devices: [ListedDevice]) throws(CommandFailure) {
        for device in devices {
            let lock = device.node.map { access.directory.lockFile(for: $0.text) }
            if let lock, Glibc.access(lock, F_OK) == 0 { continue }
            let node = device.node.map { "node \($0)" } ?? "a node"
            throw CommandFailure(
                .refused,
                "\(device.longLabel) is a device of \(node), which does not run in this run directory",
                advice: "only devices of this machine can be renamed or removed")
        }
    }
}
