import FleetProtocol

extension MalformedMessage {
    /// Invalid requests and replies about queues.
    static func commandQueues() throws -> [MalformedMessage] {
        let (start, list) = ("start a queue", "queues, next chunk")
        return try queuePlans(start) + [
            try changed(QueueRequest.self, "a queue without an id", from: start, .absent("queue.id")) {
                $0.start.clearID()
            },
            try changed(QueueRequest.self, "a queue without a plan", from: start, .absent("plan")) {
                $0.start.clearPlan()
            },
            try changed(
                QueueRequest.self, "a lookup without an id", from: "a queue", .absent("queue.id")
            ) {
                $0.report.clearID()
            },
            try changed(
                QueueRequest.self, "a page of no queues", from: list,
                .wrong("queues.limit", "1 to 100")
            ) {
                $0.list.limit = 0
            },
            try changed(
                QueueRequest.self, "a page of 101 queues", from: list,
                .wrong("queues.limit", "1 to 100")
            ) {
                $0.list.limit = 101
            },
            try changed(
                QueueRequest.self,
                "a steering request without a kind", from: "pause a queue",
                .wrong("steering", "pause, resume, stop or cancel")
            ) { $0.steer.kind = .unspecified },
            try changed(
                ControllerMessage.self, "a running time of more than an hour",
                from: "command with a running time of an hour", .wrong("takes_ms", "0 to 3600000")
            ) { $0.command.takesMs = 3_600_001 },
        ]
    }

    private static func queuePlans(_ start: String) throws -> [MalformedMessage] {
        let line = String(repeating: "a", count: 33)
        return [
            try changed(
                QueueRequest.self, "an empty plan", from: start,
                .wrong("plan", "commands: 1 to 100 are allowed")
            ) {
                $0.start.plan.commands = []
            },
            try changed(
                QueueRequest.self, "a plan of 101 commands", from: start,
                .wrong("plan", "commands: 1 to 100 are allowed")
            ) {
                let command = $0.start.plan.commands[0]
                $0.start.plan.commands = Array(repeating: command, count: 101)
            },
            try changed(
                QueueRequest.self,
                "a plan without a failure rule", from: start, .wrong("plan.on_failure", "stop or go on")
            ) { $0.start.plan.onFailure = .unspecified },
            try changed(
                QueueRequest.self,
                "a command's id of 33 bytes", from: start,
                .wrong("plan", "command 1: id: at most 32 bytes of UTF-8 are allowed")
            ) { $0.start.plan.commands[0].id = line },
            try changed(
                QueueRequest.self,
                "two commands with one id", from: start,
                .wrong("plan", "command 2: id: another command already has it; use unique ids")
            ) { $0.start.plan.commands[1].id = $0.start.plan.commands[0].id },
            try changed(
                QueueRequest.self,
                "a queue command that takes too long", from: start,
                .wrong("plan", "command 1: takes: 0 ms to 3600000 ms are allowed")
            ) { $0.start.plan.commands[0].takesMs = 3_600_001 },
            try changed(
                QueueRequest.self,
                "a queue command without a change", from: start,
                .wrong("plan", "command 2: a toggle, or a change of at least one setting, is allowed")
            ) { $0.start.plan.commands[1].set = .init() },
            try changed(
                QueueRequest.self,
                "a queue command without a kind", from: start, .absent("command.kind")
            ) { $0.start.plan.commands[1].kind = nil },
            try changed(
                QueueRequest.self,
                "a queue command with an invalid device", from: start,
                .wrong("command.device", "8 letters or digits")
            ) { $0.start.plan.commands[0].device = "nobody" },
        ]
    }
}
