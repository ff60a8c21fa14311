import FleetClient
import FleetProtocol
import Runtime
import Stepping
import Wording

extension InjectCommand {
    /// How long the supervisor may take: it waits two seconds for a gateway.
    static let supervisorPatience: Duration = .seconds(5)

    func inject(
        _ fault: CloudFault, for lasting: Duration, with access: ControllerAccess,
        in surroundings: Surroundings
    ) async throws -> ExitStatus {
        var fault = fault
        fault.pods = try await pods(with: access, in: surroundings)
        let reply = try await SupervisorAccess(directory: access.directory).askOrFail(
            .injectCloud(fault, for: lasting), patience: Self.supervisorPatience)
        if let failure = reply.failure, reply.cloud == nil {
            throw CommandFailure(.refused, "nothing was injected: \(SafeText.of(failure))")
        }
        let line: JSONValue = .object(
            [.init("kind", .string(InjectedKind.cloud(fault.kind).name))] + fault.jsonMembers.dropFirst()
                + [.init("durationMs", .integer(lasting.wholeMilliseconds))])
        surroundings.print(
            json.isWanted ? line.line : "cloud-\(fault.words), for \(DurationText.text(lasting))")
        guard let failure = reply.failure else { return .done }
        surroundings.say("fleet: \(SafeText.of(failure)): `fleet status` shows what runs")
        return .undecided
    }

    /// The ids of the pods that are meant; none where that is all of them.
    ///
    /// - Throws: What the controller has against it, which knows who may.
    private func pods(
        with access: ControllerAccess, in surroundings: Surroundings
    ) async throws -> [String] {
        let devices = try await access.withSession { client in
            // Whoever may not is to change nothing at all.
            _ = try await client.retire([])
            guard !selectors.isEmpty, !selectors.contains(where: { DeviceSelector($0).selectsAll }) else {
                return [ListedDevice]()
            }
            return try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: selectors)
            }
        }
        guard devices.count <= Limits.faultDevices else {
            throw CommandFailure(
                .usage,
                "the selectors mean \(devices.count) devices, and one fault names \(Limits.faultDevices) at most",
                advice: "leave them out and give a --share, or inject several")
        }
        return devices.map(\.id.description)
    }

    /// Shows the active faults of devices and of the cloud.
    ///
    /// If only one list is available, it is shown, and the command fails with the error of the other.
    func list(with access: ControllerAccess, in surroundings: Surroundings) async throws -> ExitStatus {
        let devices: Result<DeviceFaultList, any Error>
        do {
            devices = .success(try await deviceFaults(with: access))
        } catch {
            devices = .failure(error)
        }
        if case .success(let list) = devices {
            for line in json.isWanted ? list.json.map(\.line) : list.lines { surroundings.print(line) }
        }
        let status = try await listCloud(with: access, in: surroundings)
        let silentNodes = try devices.get().list.silentNodes
        guard silentNodes > 0 else { return status }
        surroundings.say(
            "fleet: \(Count.of(Int(silentNodes), "node")) did not answer in time: `fleet status`, then try again"
        )
        return .undecided
    }

    private func deviceFaults(with access: ControllerAccess) async throws -> DeviceFaultList {
        try await access.withSession { client in
            let list = try await client.faults()
            guard !list.faults.isEmpty else { return DeviceFaultList(list: list, names: [:]) }
            let named = DeviceDirectory(try await client.devices()).devices.map { ($0.id, $0.label) }
            return DeviceFaultList(list: list, names: Dictionary(named) { first, _ in first })
        }
    }

    private func listCloud(
        with access: ControllerAccess, in surroundings: Surroundings
    ) async throws -> ExitStatus {
        let reply = try await SupervisorAccess(directory: access.directory).askOrFail(
            .cloud, patience: Self.supervisorPatience)
        guard let plan = reply.cloud else {
            throw CommandFailure(
                .undecided, "the supervisor did not say what goes wrong", advice: "try again")
        }
        let list = CloudFaultList(plan: plan)
        for line in json.isWanted ? list.json.map(\.line) : list.lines { surroundings.print(line) }
        return .done
    }
}

extension SupervisorAccess {
    /// Asks the supervisor.
    ///
    /// - Throws: `CommandFailure` when none is there, and as ``ask(_:patience:)`` does.
    func askOrFail(_ request: SupervisorRequest, patience: Duration) async throws -> SupervisorReply {
        guard let reply = try await ask(request, patience: patience) else {
            throw CommandFailure(
                .absent, "no supervisor answers in \(directory)", advice: "start a fleet with `fleet up`")
        }
        return reply
    }
}
