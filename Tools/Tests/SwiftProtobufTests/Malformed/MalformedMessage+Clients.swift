import FleetProtocol
import Foundation

extension MalformedMessage {
    /// Bytes that are invalid for every kind.
    static func unreadable() throws -> [MalformedMessage] {
        let known = "a request of a kind that this version knows"
        return [
            bytes(ClientRequest.self, "no bytes", [], .version(0)),
            bytes(ClientRequest.self, "another version", [0x08, 0x02, 0x10, 0x0e], .version(2)),
            bytes(ClientRequest.self, "a truncated field", [0x08], .notDecodable),
            bytes(ClientRequest.self, "bytes that are not protobuf", [0xff], .notDecodable),
            bytes(
                ClientRequest.self, "invalid UTF-8", [0x08, 0x01, 0x52, 0x03, 0x0a, 0x01, 0xff],
                .notDecodable),
            bytes(
                ClientRequest.self, "a split body with a truncated first part",
                [0x08, 0x01, 0x10, 0x0e, 0x72, 0x01, 0x0a, 0x72, 0x01, 0x00], .notDecodable),
            bytes(
                ClientRequest.self, "one byte above the limit", [], zeros: Limits.messageBytes + 1,
                .tooLong(bytes: Limits.messageBytes + 1, limit: Limits.messageBytes)),
            bytes(
                ClientRequest.self, "no body", [0x08, 0x01, 0x10, 0x0e], .absent("body: \(known)"),
                correlation: 14),
            bytes(
                ClientRequest.self, "an unknown body", [0x08, 0x01, 0x10, 0x0e, 0xc2, 0x3e, 0x00],
                .absent("body: \(known)"), correlation: 14),
            bytes(
                ClientReply.self, "one byte above the limit", [], zeros: Limits.chunkBytes + 1,
                .tooLong(bytes: Limits.chunkBytes + 1, limit: Limits.chunkBytes)),
            bytes(
                Telemetry.self, "one byte above the limit", [], zeros: Limits.messageBytes + 1,
                .tooLong(bytes: Limits.messageBytes + 1, limit: Limits.messageBytes)),
            bytes(ClientReply.self, "another version", [0x08, 0x02], .version(2)),
        ]
    }

    /// Sessions with invalid values.
    static func logins() throws -> [MalformedMessage] {
        [
            try request("a token of 31 bytes", from: "status", .wrong("token", "32 bytes")) {
                $0.token = .init([UInt8](repeating: 7, count: 31))
            },
            try request("no email", from: "login", .wrong("email", "an email address")) {
                $0.login.email = ""
            },
            try request("no password", from: "login", .wrong("password", "1 to 256 bytes")) {
                $0.login.password = ""
            },
            try request(
                "a password of 257 bytes", from: "login",
                .wrong("password", "1 to 256 bytes")
            ) { $0.login.password = String(repeating: "a", count: 257) },
            try request("a sign-up without a password", from: "sign up", .wrong("password", "1 to 256 bytes"))
            {
                $0.signUp.password = ""
            },
            try request(
                "forgot a password, invalid email", from: "forgot a password",
                .wrong("email", "an email address")
            ) { $0.forgotPassword.email = "ann" },
            try request(
                "reset to an empty password", from: "reset a password",
                .wrong("password", "1 to 256 bytes")
            ) { $0.resetPassword.password = "" },
            try request("a key with an unknown scope", from: "add a key", .wrong("key.scope", "a scope")) {
                $0.addKey.scope = .UNRECOGNIZED(2)
            },
        ]
    }

    /// Commands with invalid values.
    static func commands() throws -> [MalformedMessage] {
        let toggle = "toggle, any version, default timeout"
        let everything = "set several settings of an expected version within 30 s"
        return [
            try request("a command without an id", from: toggle, .absent("request_id")) {
                $0.command.clearRequestID()
            },
            try request("a command without a kind", from: toggle, .absent("kind")) {
                $0.command.kind = nil
            },
            try request(
                "a device of 7 characters", from: toggle,
                .wrong("device", "8 letters or digits")
            ) { $0.command.device = "m7SWtqM" },
            try request("a set without settings", from: everything, .wrong("set", "at least one setting")) {
                $0.command.set = .init()
            },
            try request("an unknown mode", from: everything, .wrong("mode", "a mode")) {
                $0.command.set.mode = .UNRECOGNIZED(9)
            },
            try request(
                "an unspecified fan level", from: everything,
                .wrong("fan_level", "a fan level")
            ) { $0.command.set.fanLevel = .unspecified },
            try request(
                "128 °C", from: everything,
                .wrong("target_temperature", "-128 to 127")
            ) { $0.command.set.targetTemperature = 128 },
            try request("an unknown swing", from: everything, .wrong("swing", "a swing")) {
                $0.command.set.swing = .UNRECOGNIZED(12)
            },
            try request(
                "an unknown horizontal swing", from: everything,
                .wrong("horizontal_swing", "a horizontal swing")
            ) { $0.command.set.horizontalSwing = .UNRECOGNIZED(13) },
            try request("an unknown light", from: everything, .wrong("light", "a light")) {
                $0.command.set.light = .UNRECOGNIZED(3)
            },
            try request(
                "an unknown temperature unit", from: everything,
                .wrong("temperature_unit", "a unit of temperature")
            ) { $0.command.set.temperatureUnit = .UNRECOGNIZED(2) },
        ]
    }

    /// Requests, other than commands, with invalid values.
    static func otherRequests() throws -> [MalformedMessage] {
        [
            try request("a cancel without an id", from: "cancel within 2 s", .absent("request_id")) {
                $0.cancel.clearRequestID()
            },
            try request("an outcome without an id", from: "outcome", .absent("request_id")) {
                $0.outcome.clearRequestID()
            },
            try request("no fault", from: "inject hang", .wrong("fault", "a fault")) {
                $0.inject.fault = .unspecified
            },
            try request(
                "a fault without devices", from: "inject hang",
                .wrong("devices", "1 to 1000")
            ) { $0.inject.devices = [] },
            try request(
                "a fault longer than a day", from: "inject hang",
                .wrong("duration_ms", "at most a day")
            ) { $0.inject.durationMs = 86_400_001 },
            try request(
                "a delay longer than 30 s", from: "inject slow",
                .wrong("delay_ms", "at most 30 s")
            ) { $0.inject.delayMs = 30_001 },
            try request(
                "no scenario", from: "scenario", .wrong("scenario", "1 to 4096 bytes")
            ) { $0.scenario.scenario = "" },
            try request(
                "too many devices to retire", from: "retire two",
                .wrong("retire.devices", "at most 1000")
            ) { $0.retire.devices = Array(repeating: "m7SWtqMj", count: 1_001) },
            try request(
                "too many devices to heal", from: "heal two", .wrong("heal.devices", "at most 1000")
            ) { $0.heal.devices = Array(repeating: "m7SWtqMj", count: 1_001) },
        ]
    }

    /// Replies with invalid values.
    static func replies() throws -> [MalformedMessage] {
        let known = "a reply of a kind that this version knows"
        return [
            try reply("no body", from: "status", .absent("body: \(known)")) { $0.body = nil },
            try reply(
                "a session without a token", from: "session, owner", .wrong("session.token", "32 bytes")
            ) {
                $0.session.token = .init()
            },
            try reply(
                "too many nodes in a report", from: "counters", .wrong("counters.nodes", "at most 100")
            ) { $0.counters.nodes = Array(repeating: $0.counters.nodes[0], count: 101) },
            try reply(
                "a node without counters", from: "counters", .absent("counters.nodes.counters")
            ) { $0.counters.nodes[0].clearCounters() },
            try reply("no role", from: "session, owner", .wrong("role", "a role")) {
                $0.session.role = .unspecified
            },
            try reply(
                "no account", from: "session, owner",
                .wrong("account", "1 to 32 characters of [a-z0-9-]")
            ) { $0.session.account = "" },
            try reply("no refusal", from: "refusal busy", .wrong("refusal.kind", "a refusal")) {
                $0.refusal.kind = .unspecified
            },
            try reply(
                "a refusal of 513 bytes", from: "refusal invalid",
                .wrong("refusal.what", "at most 512 bytes")
            ) { $0.refusal.what = tooMuch },
        ]
    }

    /// Invalid outcomes.
    static func outcomes() throws -> [MalformedMessage] {
        [
            try reply("an outcome without an id", from: "outcome applied", .absent("request_id")) {
                $0.outcome.clearRequestID()
            },
            try reply("no outcome", from: "outcome applied", .absent("outcome")) {
                $0.outcome.clearOutcome()
            },
            try reply(
                "an unknown outcome", from: "outcome expired", .wrong("outcome.kind", "an outcome")
            ) {
                $0.outcome.outcome.kind = .UNRECOGNIZED(9)
            },
            try reply("applied without a state", from: "outcome applied", .absent("outcome.state")) {
                $0.outcome.outcome.clearState()
            },
            try reply(
                "undetermined without a reason", from: "outcome undetermined, deviceReset",
                .wrong("outcome.undetermined", "a reason")
            ) { $0.outcome.outcome.undetermined = .unspecified },
            try reply(
                "a rejection of 513 bytes", from: "outcome rejected",
                .wrong("rejection", "at most 512 bytes")
            ) { $0.outcome.outcome.rejection = tooMuch },
            try reply(
                "an outcome without a user", from: "outcome expired", .wrong("user", "an email address")
            ) {
                $0.outcome.user = ""
            },
            try reply(
                "an outcome with an unknown kind of command", from: "outcome expired",
                .wrong("command", "a kind of command")
            ) { $0.outcome.command = .UNRECOGNIZED(5) },
        ]
    }

    /// Answers to a cancel, and snapshots, with invalid values.
    static func cancelsAndSnapshots() throws -> [MalformedMessage] {
        let snapshot = "snapshot, the first of several chunks"
        return [
            try reply("a cancel without an id", from: "cancel: pending", .absent("request_id")) {
                $0.cancel.clearRequestID()
            },
            try reply(
                "a cancel without an answer", from: "cancel: pending", .wrong("cancel.kind", "an answer")
            ) {
                $0.cancel.kind = .unspecified
            },
            try reply("too late without an outcome", from: "cancel: too late", .absent("cancel.outcome")) {
                $0.cancel.clearOutcome()
            },
            try reply(
                "a ticket of 31 bytes", from: "a stream ticket",
                .wrong("stream_ticket.ticket", "32 bytes")
            ) { $0.streamTicket.ticket.removeLast() },
            try reply(
                "a ticket without a topic", from: "a stream ticket",
                .wrong("stream_ticket.topic", "1 to 64 bytes")
            ) { $0.streamTicket.topic = "" },
            try reply(
                "columns of different lengths", from: snapshot,
                .wrong("snapshot", "columns of one length")
            ) { $0.snapshot.on.removeLast() },
            try reply(
                "a device's name of 65 bytes", from: snapshot,
                .wrong("name", "at most 64 bytes")
            ) { $0.snapshot.name[0] = String(repeating: "a", count: 65) },
            try reply("a node without presence", from: snapshot, .absent("node.presence")) {
                $0.snapshot.nodes[0].clearPresence()
            },
            try reply("no presence", from: snapshot, .wrong("presence.kind", "a presence")) {
                $0.snapshot.nodes[0].presence.kind = .unspecified
            },
            try reply(
                "offline without a reason", from: "snapshot, the last chunk, with nodes in every presence",
                .wrong("presence.reason", "a reason")
            ) { $0.snapshot.nodes[3].presence.reason = .unspecified },
        ]
    }

    private static let tooMuch = String(repeating: "a", count: Limits.explanationBytes + 1)

    static func request(
        _ name: String, from sample: String, _ problem: WireError.Problem,
        _ change: (inout Sensibus_V1_ClientRequest) -> Void
    ) throws -> MalformedMessage {
        try changed(
            ClientRequest.self, name, from: sample, problem, correlation: sample == "login" ? .max : 14,
            change)
    }

    private static func reply(
        _ name: String, from sample: String, _ problem: WireError.Problem,
        _ change: (inout Sensibus_V1_ClientReply) -> Void
    ) throws -> MalformedMessage {
        try changed(ClientReply.self, name, from: sample, problem, correlation: 14, change)
    }
}
