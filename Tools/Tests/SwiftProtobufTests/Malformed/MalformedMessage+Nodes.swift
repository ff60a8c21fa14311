import FleetProtocol

extension MalformedMessage {
    private static let measurements = "-60 to 90 °C, feeling like -99 to 999, 0 to 100 %, -100 to -20 dBm"

    /// Invalid messages between nodes and the controller.
    static func nodes() throws -> [MalformedMessage] {
        let known = "a message of a kind that this version knows"
        return [
            bytes(NodeMessage.self, "another version", [0x08, 0x02], .version(2)),
            try fromNode("no body", from: "ping", .absent("body: \(known)")) { $0.body = nil },
            try fromNode(
                "a change number that cannot be incremented", from: "ping", .wrong("last_number", tooHigh)
            ) {
                $0.lastNumber = Limits.largestOrdinal + 1
            },
            try fromNode(
                "a command number that cannot be incremented", from: "result applied",
                .wrong("last_command_number", tooHigh)
            ) {
                $0.result.row.lastCommandNumber = .max
            },
            try fromNode(
                "a node whose name begins with a dot", from: "hello",
                .wrong("node", "1 to 32 characters of [A-Za-z0-9._-]")
            ) { $0.hello.node = ".." },
            try fromNode(
                "an account in capitals", from: "hello",
                .wrong("account", "1 to 32 characters of [a-z0-9-]")
            ) { $0.hello.account = "Demo" },
            try fromNode(
                "a grant with half a token", from: "hello with a grant", .wrong("grant.token", "32 bytes")
            ) { $0.hello.grant.token.removeLast(16) },
            try fromNode(
                "a grant of too many devices", from: "hello with a grant",
                .wrong("grant.devices", "at most 1000000")
            ) { $0.hello.grant.devices = 1_000_001 },
            try fromNode(
                "a grant with an index that cannot be incremented", from: "hello with a grant",
                .wrong("grant.first_index", tooHigh)
            ) { $0.hello.grant.firstIndex = .max },
            try fromNode("too many devices", from: "hello", .wrong("hello.devices", "at most 1000000")) {
                $0.hello.devices = 1_000_001
            },
            try fromNode(
                "too many judged requests", from: "hello with judged requests",
                .wrong("hello.judged_requests", "at most 2")
            ) { $0.hello.judgedRequests.append($0.hello.judgedRequests[0]) },
            try fromNode(
                "too many groups", from: "hello with groups", .wrong("hello.groups", "at most 256")
            ) { $0.hello.groups = Array(repeating: $0.hello.groups[0], count: 257) },
            try fromNode(
                "a group with an unknown air conditioner", from: "hello with groups",
                .wrong("air_conditioner", "a kind of air conditioner")
            ) {
                $0.hello.groups[0].airConditioner = .UNRECOGNIZED(4)
            },
            try fromNode("a group without a model", from: "hello with groups", .wrong("model", "a model")) {
                $0.hello.groups[0].model = .unspecified
            },
            try fromNode(
                "a site name of 65 bytes", from: "hello with groups", .wrong("site", "at most 64 bytes")
            ) { $0.hello.groups[0].site = String(repeating: "s", count: 65) },
            try fromNode(
                "a row with a group number of 256", from: "rows, one of several chunks",
                .wrong("rows.group", "below 256")
            ) { $0.rows.group[0] = 256 },
            try fromNode(
                "counters with a wrong number of verdicts", from: "ping with counters",
                .wrong("counters.results", "one for each of 10 verdicts")
            ) { $0.ping.counters.results.removeLast() },
            try fromNode(
                "counters with a wrong number of buckets", from: "ping with counters",
                .wrong("counters.command_time", "one count for each of 15 buckets")
            ) { $0.ping.counters.commandTime.counts.append(0) },
            try fromNode("a result without an id", from: "result applied", .absent("result.request_id")) {
                $0.result.clearRequestID()
            },
            try fromNode("a result without a state", from: "result applied", .absent("result.state")) {
                $0.result.clearState()
            },
            try fromNode("a result without a row", from: "result applied", .absent("result.row")) {
                $0.result.clearRow()
            },
            try fromNode("no verdict", from: "result applied", .wrong("result.verdict", "a verdict")) {
                $0.result.verdict = .unspecified
            },
            try fromNode("a row without a state", from: "result applied", .absent("row.state")) {
                $0.result.row.clearState()
            },
            try fromNode(
                "columns of different lengths", from: "rows, one of several chunks",
                .wrong("rows", "columns of one length")
            ) { $0.rows.name.removeLast() },
            try fromNode(
                "a missing column of measurements", from: "rows, some with measurements",
                .wrong("rows", "columns of one length")
            ) { $0.rows.rssi = [] },
            try fromNode(
                "a room temperature of 90.1 °C", from: "rows, some with measurements",
                .wrong("measurements", Self.measurements)
            ) { $0.rows.temperature[0] = 901 },
            try changed(
                Telemetry.self, "a device without measurements", from: "measurements",
                .wrong("measured", "measurements of each device")
            ) { $0.measured.rssi[1] = 0 },
            try changed(
                Telemetry.self, "measurements without a device", from: "measurements",
                .wrong("measured", "columns of one length")
            ) { $0.measured.device.removeLast() },
            try changed(
                Telemetry.self, "a humidity that is out of range", from: "measurements",
                .wrong("measurements", Self.measurements)
            ) { $0.measured.humidity[0] = 65_536 },
            try changed(Telemetry.self, "a row without a state", from: "one device", .absent("row.state")) {
                $0.rows[0].clearState()
            },
        ]
    }

    /// Invalid messages of the controller to nodes.
    static func orders() throws -> [MalformedMessage] {
        let known = "a message of a kind that this version knows"
        return [
            try order("no body", from: "pong", .absent("body: \(known)")) { $0.body = nil },
            try order("a command without an id", from: "command of a toggle", .absent("command.request_id")) {
                $0.command.clearRequestID()
            },
            try order("a command without a change", from: "command of a toggle", .absent("command.change")) {
                $0.command.clearChange()
            },
            try order("an abort without an id", from: "abort", .absent("abort.request_id")) {
                $0.abort.clearRequestID()
            },
            try order("taken without devices", from: "taken", .wrong("devices", "1 to 1000")) {
                $0.claimsRefused.devices = []
            },
            try order("renew without devices", from: "renew two", .wrong("renew.devices", "1 to 400")) {
                $0.renew.devices = []
            },
            try order("a scenario of 4097 bytes", from: "scenario", .wrong("scenario", "1 to 4096 bytes")) {
                $0.scenario.scenario = String(repeating: "x", count: 4_097)
            },
            try fromNode("an unknown remark", from: "done", .wrong("done.remark", "a remark")) {
                $0.done.remark = .UNRECOGNIZED(9)
            },
            try order(
                "too many devices to heal", from: "heal one", .wrong("order.devices", "at most 1000")
            ) {
                $0.heal.devices = Array(repeating: "m7SWtqMj", count: 1_001)
            },
        ]
    }

    /// Invalid messages to observers, and of the supervisor.
    static func updates() throws -> [MalformedMessage] {
        [
            try update("no body", from: "beat", .absent("body: an update of a kind that this version knows"))
            {
                $0.body = nil
            },
            try update("a report without a state", from: "reported", .absent("reported.state")) {
                $0.reported.clearState()
            },
            try update(
                "reports with a missing device", from: reports, .wrong("reports", "columns of one length")
            ) {
                $0.reports.device.removeLast()
            },
            try update("reports of too many devices", from: reports, .wrong("reports", "at most 100")) {
                $0.reports.repeatAll(times: 20)
            },
            try update("a node without presence", from: "node online", .absent("node.presence")) {
                $0.node.clearPresence()
            },
            try update("an epoch that cannot be incremented", from: "beat", .wrong("epoch", tooHigh)) {
                $0.epoch = .max
            },
            try update("added without a report", from: "added", .absent("added.reported")) {
                $0.added.clearReported()
            },
            try update("removed without a device", from: "removed", .wrong("device", "8 letters or digits")) {
                $0.removed.device = ""
            },
            bytes(
                JoinReply.self, "no body", [0x08, 0x01],
                .absent("body: a reply of a kind that this version knows")),
            try changed(
                JoinReply.self, "rights without a role", from: "the rights of a client",
                .wrong("membership.role", "a role")
            ) { $0.membership.role = .unspecified },
            bytes(
                SupervisorRequest.self, "no body", [0x08, 0x01],
                .absent("body: a request of a kind that this version knows")),
            try changed(
                SupervisorReply.self, "a process without a state", from: "processes in every state",
                .wrong("process.state", "a state")
            ) { $0.processes[0].state = .unspecified },
        ]
    }

    private static let reports = "reports with every setting"
    private static let tooHigh = "at most 4611686018427387904"

    private static func fromNode(
        _ name: String, from sample: String, _ problem: WireError.Problem,
        _ change: (inout Sensibus_V1_NodeMessage) -> Void
    ) throws -> MalformedMessage {
        try changed(NodeMessage.self, name, from: sample, problem, change)
    }

    private static func order(
        _ name: String, from sample: String, _ problem: WireError.Problem,
        _ change: (inout Sensibus_V1_ControllerMessage) -> Void
    ) throws -> MalformedMessage {
        try changed(ControllerMessage.self, name, from: sample, problem, change)
    }

    private static func update(
        _ name: String, from sample: String, _ problem: WireError.Problem,
        _ change: (inout Sensibus_V1_StreamUpdate) -> Void
    ) throws -> MalformedMessage {
        try changed(StreamUpdate.self, name, from: sample, problem, change)
    }
}

extension Sensibus_V1_ReportedDevices {
    /// Repeats each column that many times.
    fileprivate mutating func repeatAll(times: Int) {
        func extend<Value>(_ column: inout [Value]) {
            column = [[Value]](repeating: column, count: times).flatMap(\.self)
        }
        extend(&device)
        extend(&incarnation)
        extend(&version)
        extend(&on)
        extend(&mode)
        extend(&targetTemperature)
        extend(&fanLevel)
        extend(&swing)
        extend(&horizontalSwing)
        extend(&light)
        extend(&temperatureUnit)
    }
}
