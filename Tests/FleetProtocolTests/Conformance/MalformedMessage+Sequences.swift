@testable import FleetProtocol

extension MalformedMessage {
    /// What somebody asks of sequences, or says of them, as it cannot be.
    static func sequences() throws -> [MalformedMessage] {
        let (start, list) = ("start a sequence", "sequences, going on")
        return try sequencePlans(start) + [
            try request("a sequence without an id", from: start, .absent("sequence.id")) {
                $0.startSequence.clearID()
            },
            try request("a sequence without a plan", from: start, .absent("plan")) {
                $0.startSequence.clearPlan()
            },
            try request("a look at no sequence", from: "a sequence", .absent("sequence.id")) {
                $0.sequence.clearID()
            },
            try request("no sequences wanted", from: list, .wrong("sequences.limit", "1 to 100")) {
                $0.sequences.limit = 0
            },
            try request("too many sequences wanted", from: list, .wrong("sequences.limit", "1 to 100")) {
                $0.sequences.limit = 101
            },
            try request(
                "a sequence steered nowhere", from: "pause a sequence",
                .wrong("steering", "pause, resume, stop or cancel")
            ) { $0.steerSequence.kind = .unspecified },
            try changed(
                ControllerMessage.self, "a command that takes more than an hour",
                from: "command that takes an hour", .wrong("takes_ms", "0 to 3600000")
            ) { $0.command.takesMs = 3_600_001 },
        ]
    }

    private static func sequencePlans(_ start: String) throws -> [MalformedMessage] {
        let line = String(repeating: "a", count: 33)
        return [
            try request("an empty plan", from: start, .wrong("plan", "commands: 1 to 100 are allowed")) {
                $0.startSequence.plan.commands = []
            },
            try request("a plan of 101", from: start, .wrong("plan", "commands: 1 to 100 are allowed")) {
                let command = $0.startSequence.plan.commands[0]
                $0.startSequence.plan.commands = Array(repeating: command, count: 101)
            },
            try request(
                "a plan for no failure", from: start, .wrong("plan.on_failure", "stop or go on")
            ) { $0.startSequence.plan.onFailure = .unspecified },
            try request(
                "a command's id of 33 bytes", from: start,
                .wrong("plan", "command 1: id: at most 32 bytes of UTF-8 are allowed")
            ) { $0.startSequence.plan.commands[0].id = line },
            try request(
                "two commands with one id", from: start,
                .wrong("plan", "command 2: id: another command has it; give each its own")
            ) { $0.startSequence.plan.commands[1].id = $0.startSequence.plan.commands[0].id },
            try request(
                "a command of a sequence that takes too long", from: start,
                .wrong("plan", "command 1: takes: 0 ms to 3600000 ms are allowed")
            ) { $0.startSequence.plan.commands[0].takesMs = 3_600_001 },
            try request(
                "a command of a sequence that changes nothing", from: start,
                .wrong("plan", "command 2: a toggle, or a change of at least one setting, is allowed")
            ) { $0.startSequence.plan.commands[1].set = .init() },
            try request(
                "a command of a sequence that does nothing", from: start, .absent("command.kind")
            ) { $0.startSequence.plan.commands[1].kind = nil },
            try request(
                "a command of a sequence for nobody", from: start,
                .wrong("command.device", "8 letters or digits")
            ) { $0.startSequence.plan.commands[0].device = "nobody" },
        ]
    }
}
