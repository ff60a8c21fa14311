import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct InjectCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "inject",
        abstract: "Inject faults into devices, nodes or the cloud API.",
        discussion: """
            offline  devices lose their connection
            hang     devices accept commands, but do not carry them out
            flip     a hand remote switches devices, once
            reset    factory reset: state and settings are erased
            slow     devices carry out commands late by the time of --by
            reboot   devices restart: offline for a while; commands they held are lost, \
            but not their state
            crash    kill (SIGKILL) the whole node that hosts the device

            Cloud faults affect only Sensibo's API at the gateway:

            cloud-slow       carries out requests, and answers late
            cloud-hang       neither carries out nor answers requests
            cloud-error      answers with a --status, and carries out nothing
            cloud-no-result  carries out requests, and leaves the result out of the answer
            cloud-failed     carries out no changes, and reports them as failed
            cloud-no-code    refuses changes of a state: the remote has no code for it
            cloud-offline    shows pods as dead, and fails changes of them
            cloud-limit      answers 429 to requests beyond Sensibo's rate limit
            cloud-bad-pod    makes a key of pods null, or leaves it out
            cloud-lag        shows an earlier state of pods
            cloud-reset      carries out requests, and resets the connection
            cloud-truncated  carries out requests, and cuts the answer short
            cloud-html       carries out requests, and answers with a page of HTML

            Without a SELECTOR a cloud fault applies to all pods, otherwise to requests for the \
            selected ones. `fleet heal` ends lasting faults early.

            EXAMPLES
              fleet inject offline "Bedroom 7" --for 30s
              fleet inject flip 'bedroom*'
              fleet inject hang all --for 2s
              fleet inject slow 'office*' --by 2s --for 1m
              fleet inject cloud-error --times 1 --only writes
              fleet inject cloud-slow --share 0.1 --by 10s --for 10m
              fleet inject cloud-reset --path '/api/v2/pods/*/acStates/*' --times 1
              fleet inject cloud-bad-pod "Bedroom 7" --missing room
              fleet inject --list
            """)

    @Argument(help: "The fault to inject.") var kind: InjectedKind?
    @Argument(help: .devices, completion: .devices) var selectors: [String] = []

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: .value("duration", "How long it lasts (default: 30s); flip, reset and crash take effect once."),
        transform: { try .parse($0, upTo: Limits.longestFault, "the duration of a fault is") })
    var duration: Duration?

    @Option(
        name: .customLong("by"), parsing: .unconditional,
        help: .value(
            "duration",
            "Delay of devices (default: 2s) or of answers (10s), or the age of what pods show (10s)."),
        transform: { try .parse($0, upTo: Limits.longestLag, "a delay is") })
    var delay: Duration?

    @OptionGroup var cloud: CloudFaultOptions

    @Flag(
        name: .customLong("list"),
        help: "Show the active faults of devices and of the cloud, and inject none.")
    var isList = false

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard let kind else {
            try require(isList, "no fault given: name one, or use --list")
            return
        }
        try require(!isList, "--list injects nothing: leave \(kind.name) out")
        guard duration == nil || kind.hasDuration else {
            let lasting = Fault.allCases.filter(\.hasDuration).map(\.name).joined(separator: ", ")
            throw ValidationError(
                "--for: a \(kind.name) takes effect once; \(lasting) and all cloud faults have a duration")
        }
        if let delay {
            guard let longest = kind.longestDelay else {
                throw ValidationError(
                    "--by: only slow, cloud-slow and cloud-lag have a delay, and \(kind.name) has none")
            }
            try require(
                delay <= longest,
                "--by: a delay of \(kind.name) is above 0s and at most \(DurationText.text(longest))")
        }
        switch kind {
        case .device(let fault):
            try cloud.refuseAll(for: fault)
            try require(!selectors.isEmpty, "no device given: add a SELECTOR, or all")
        case .cloud(let kind):
            _ = try cloud.fault(kind, by: delay)
            try require(
                selectors.isEmpty || kind.hasPart,
                "a cloud-\(kind.name) affects keys, not pods: leave the SELECTOR out")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try client.access(in: surroundings)
        guard let kind else { return try await list(with: access) }
        let output =
            switch kind {
            case .device(let fault): try await inject(fault, with: access)
            case .cloud(let kind): try await inject(try cloud.fault(kind, by: delay), with: access)
            }
        return try await surroundings.show(output, asJSON: client.json.isWanted)
    }

    /// Injects a fault in orders of at most `Limits.faultDevices` devices.
    private func inject(_ fault: Fault, with access: ControllerAccess) async throws -> CommandOutput {
        let lasting = fault.hasDuration ? duration ?? InjectedKind.usualDuration : .zero
        let late = fault.hasDelay ? delay ?? InjectedKind.usualDelay : .zero
        let (count, nodes) = try await access.withSession { client in
            let devices = try await access.devices(selectedBy: selectors, with: client)
            var count = 0
            for some in devices.map(\.id).orders {
                count += try await client.inject(fault, into: some, for: lasting, delay: late)
            }
            let former = Dictionary(devices.map { ($0.id, $0) }) { first, _ in first }
            let changing = devices.filter {
                $0.presence.kind == .online && !fault.isShown(by: $0, since: $0)
            }
            try await access.awaitEffect(on: changing.map(\.id), with: client) { device in
                former[device.id].map { fault.isShown(by: device, since: $0) } ?? true
            }
            return (count, fault == .crash ? Set(devices.compactMap(\.node)).sorted() : [])
        }
        let line: JSONObject = [
            "kind": fault.name, "devices": count, "durationMs": lasting.wholeMilliseconds,
            "delayMs": late.wholeMilliseconds,
        ]
        return CommandOutput(
            fault == .crash ? line + ["nodes": nodes.map(\.description)] : line,
            text(fault, count, nodes, lasting, late))
    }

    private func text(
        _ fault: Fault, _ count: Int, _ nodes: [NodeName], _ lasting: Duration, _ late: Duration
    ) -> String {
        if let node = nodes.first {
            let names = nodes.map(\.description).joined(separator: ", ")
            return Program.worded(
                "crash: killed \(names); `fleet restart \(node)` starts it again, unless the fleet does")
        }
        return "\(fault.name): \(Count.of(count, "device"))"
            + (fault.hasDelay ? ", by \(DurationText.text(late))" : "")
            + (fault.hasDuration ? " for \(DurationText.text(lasting))" : "")
    }
}

extension InjectCommand {
    /// The supervisor's timeout, which includes its 2 s wait for the gateway.
    static let supervisorTimeout: Duration = .seconds(5)

    private func inject(_ fault: CloudFault, with access: ControllerAccess) async throws -> CommandOutput {
        var fault = fault
        fault.pods = try await pods(with: access)
        let lasting = duration ?? InjectedKind.usualDuration
        let reply = try await SupervisorAccess(directory: access.directory).askOrFail(
            .injectCloud(fault, for: lasting), timeout: Self.supervisorTimeout)
        if let failure = reply.failure, reply.cloud == nil {
            throw CommandFailure(.refused, "nothing was injected: \(SafeText.of(failure))")
        }
        let line: JSONObject =
            ["kind": InjectedKind.cloud(fault.kind).name] + fault.details
            + ["durationMs": lasting.wholeMilliseconds]
        let text = "cloud-\(fault.text), for \(DurationText.text(lasting))"
        let warnings = reply.failure.map { ["\(SafeText.of($0)); check `fleet status`"] } ?? []
        return CommandOutput(line, text, warnings: warnings, status: warnings.isEmpty ? .done : .undecided)
    }

    /// Returns the IDs of the selected pods; an empty array stands for all pods.
    private func pods(with access: ControllerAccess) async throws -> [String] {
        let devices = try await access.withSession { client in
            // An empty retirement checks the user's permission before the supervisor changes anything.
            _ = try await client.retire([])
            guard !selectors.isEmpty, !selectors.contains(where: { DeviceSelector($0).selectsAll }) else {
                return [ListedDevice]()
            }
            return try await access.devices(selectedBy: selectors, with: client)
        }
        guard devices.count <= Limits.faultDevices else {
            throw CommandFailure(
                .usage,
                "the selectors match \(devices.count) devices; a fault names \(Limits.faultDevices) at most",
                advice: "leave them out and use --share, or inject several faults")
        }
        return devices.map(\.id.description)
    }

    /// Shows the active faults of devices and of the cloud; if only one list is available, it then fails.
    private func list(with access: ControllerAccess) async throws -> ExitStatus {
        let (surroundings, isJSON) = (access.surroundings, client.json.isWanted)
        let devices = await Result(of: { try await deviceFaults(with: access) })
        if case .success(let list) = devices {
            for line in isJSON ? list.json.map(\.line) : list.lines { try surroundings.print(line) }
        }
        let reply = try await SupervisorAccess(directory: access.directory).askOrFail(
            .cloud, timeout: Self.supervisorTimeout)
        guard let plan = reply.cloud else {
            throw CommandFailure(
                .undecided, "the supervisor did not report the cloud faults", advice: "try again")
        }
        let cloud = CloudFaultList(plan: plan)
        for line in isJSON ? cloud.json.map(\.line) : cloud.lines { try surroundings.print(line) }
        let silentNodes = try devices.get().list.silentNodes
        guard silentNodes > 0 else { return .done }
        surroundings.notify(
            "fleet: \(Count.of(Int(silentNodes), "node")) did not answer; check `fleet status`, try again"
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
}

extension SupervisorAccess {
    func askOrFail(_ request: SupervisorRequest, timeout: Duration) async throws -> SupervisorReply {
        guard let reply = try await ask(request, timeout: timeout) else {
            throw CommandFailure(
                .absent, "no supervisor answers in \(directory)", advice: "start a fleet with `fleet up`")
        }
        return reply
    }
}
