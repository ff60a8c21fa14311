import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

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

    @Option(help: ArgumentHelp("The number of devices.", valueName: "count")) var count = 1

    @Option(help: ArgumentHelp("The name of a single device.", valueName: "name")) var name: String?

    @Option(help: ArgumentHelp("Assign them to this site of the account.", valueName: "site"))
    var site: String?

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
