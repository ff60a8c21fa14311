import FleetProtocol

extension StreamUpdate {
    static func samples(_ given: Given) -> [(name: String, value: StreamUpdate)] {
        let bodies: [(String, Body)] =
            [
                ("beat", .beat), ("reported", .reported(given.device, given.after)),
                ("connection lost", .connection(given.device, isConnected: false)),
                ("connection restored", .connection(given.device, isConnected: true)),
                (
                    "added",
                    .added(given.snapshotRow(given.device, given.before, name: "Bedroom 7", group: 512))
                ),
                (
                    "added, last switched by the app",
                    .added(given.snapshotRow(given.device, given.after, name: "Bedroom 7", by: .app))
                ),
                (
                    "added, with settings",
                    .added(
                        given.snapshotRow(
                            given.device, given.after, name: "Bedroom 7", by: .request, given.settings))
                ), ("settings", .settings(given.device, given.settings)),
                ("settings, all removed", .settings(given.device, DeviceSettings())),
                ("removed", .removed(given.device)), ("measured", .measured(given.measured)),
                ("group", .group(given.numberedGroups[1])),
                (
                    "update of a service",
                    .service(ServiceMessage(service: ServiceName(constant: "labels"), content: [8, 1]))
                ),
                (
                    "reports with every setting",
                    .reports(given.states.map { ReportedDevice(device: given.otherDevice, state: $0) })
                ),
                ("outcome of a request cancelled before its arrival", .outcome(given.tombstone)),
            ]
            + ChangeCause.allCases.dropFirst().map {
                ("reported, by \($0.name)", .reported(given.device, given.after, by: $0))
            }
            + CommandKind.allCases.map {
                ("outcome applied of \($0.name)", .outcome(given.report(.applied(given.after), of: $0)))
            }
            + given.presences.map { ("node \($0.text)", .node(given.snapshotNode($0), devices: 100)) }
            + given.outcomes.filter(\.isFinal).map { ("outcome \($0.text)", .outcome(given.report($0))) }
        let last = StreamUpdate(
            epoch: given.epoch, sequence: StreamSequence(206), at: given.at, body: .beat, isLast: true)
        return bodies.map { name, body in
            (
                name,
                StreamUpdate(epoch: given.epoch, sequence: StreamSequence(206), at: given.at, body: body)
            )
        } + [("the last update of a stream", last)]
    }
}

extension JoinRequest {
    static func samples(_ given: Given) -> [(name: String, value: JoinRequest)] {
        [("join", JoinRequest(token: given.grant.token))]
    }
}

extension JoinReply {
    static func samples(_ given: Given) -> [(name: String, value: JoinReply)] {
        let node = Membership(
            name: given.node, role: .node, account: given.account, grant: given.grant, scenario: "lively")
        let others = PeerRole.allCases.dropFirst().map { role in
            ("the rights of a \(role.name)", Membership(name: given.node, role: role, account: nil))
        }
        return [
            ("refused", .refusal(.notAllowed("the join token is unknown, or was used"))),
            ("the rights of a node", .membership(node)),
        ] + others.map { ($0, .membership($1)) }
    }
}

extension SupervisorRequest {
    static func samples(_ given: Given) -> [(name: String, value: SupervisorRequest)] {
        [
            ("processes", .processes), ("restart", .restart("node-1")), ("end the fleet", .endFleet),
            ("start another scenario", .scenario("worst-day", CloudDay(start: 0), beganAt: nil)),
            ("scale", .scale(devices: 1_000_000)),
            ("trim", .trim),
            (
                "a scenario with cloud faults",
                .scenario(
                    "cloudy",
                    CloudDay(
                        speed: 60, start: 21_600,
                        parts: CloudFault.samples.map { .init($0, from: 36_000, to: 37_800) }),
                    beganAt: given.at)
            ),
            ("inject a cloud fault", .injectCloud(CloudFault.samples[8], for: .seconds(30))),
            ("heal cloud faults", .healCloud), ("list cloud faults", .cloud),
            ("a cloud report without faults", .cloudReport(CloudReport(revision: 0))),
            (
                "a cloud report",
                .cloudReport(CloudReport(revision: 7, meetings: [.init(number: 3, met: 12)]))
            ),
        ]
    }
}

extension CloudFault {
    /// One of each kind, the last two with all values.
    static let samples = Kind.allCases.map { kind in
        var fault = CloudFault(kind)
        if kind == .error { (fault.status, fault.times) = (502, 3) }
        if kind == .badPod { (fault.key, fault.isKeyMissing) = (.room, true) }
        if kind == .slow { (fault.requests, fault.share) = (.reads, 0.05) }
        if kind == .lag { fault.pods = ["Bedroom 7", "VMe9BNPT"] }
        return fault
    }
}

extension SupervisorReply {
    static func samples(_ given: Given) -> [(name: String, value: SupervisorReply)] {
        let processes = FleetProcess.State.allCases.map { state in
            FleetProcess(
                name: "node-1", state: state, processID: state == .running ? 4_711 : nil,
                restarts: state == .running ? 0 : 2, lastEnd: state == .running ? "" : "killed by signal 9")
        }
        return [
            ("done", SupervisorReply()), ("processes in every state", SupervisorReply(processes: processes)),
            (
                "a fleet that is scaled down",
                SupervisorReply(size: FleetSize(seed: .max, devices: 60, hosted: 100, nodes: 2))
            ),
            ("cloud faults", SupervisorReply(cloud: clouded, endedFaults: 2)),
            (
                "a fleet that has run for an hour",
                SupervisorReply(fleet: FleetSummary(scenario: "lively", uptime: .seconds(3_600)))
            ),
            ("failed", SupervisorReply(failure: "no process is called node-9")),
        ]
    }
}

private let clouded = CloudPlan(
    revision: 9, seed: .max, day: CloudDay(speed: 0.5, start: 0), elapsed: .seconds(3_600),
    faults: [
        PlannedCloudFault(
            number: 1, fault: CloudFault(.hang), span: .daily(from: 82_800, to: 600, rest: .seconds(5))),
        PlannedCloudFault(
            number: 2, fault: CloudFault(.error),
            span: .injected(age: .milliseconds(1), remaining: .seconds(86_400)), met: 5),
    ], beganAt: WallTime(unixMilliseconds: 1_767_323_045_678))
