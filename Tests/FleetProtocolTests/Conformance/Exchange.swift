import ConformanceSupport
import FleetProtocol
import Testing

/// One toggle, from a user's request to the update for every observer, frame by frame.
struct Exchange {
    struct Step {
        let title: String
        let socket: String
        let from: String
        let to: String
        /// The topic, if the socket has topics; otherwise whether a delimiter comes first.
        let topic: [UInt8]?
        let hasDelimiter: Bool
        let kind: String
        let bytes: [UInt8]
        /// Whether the bytes are decoded as their value.
        let isReadBack: Bool
    }

    let steps: [Step]

    init(_ given: Given) throws {
        let topic = StreamTopic(account: given.account, number: 12).bytes
        steps = [
            try Self.step(
                "The client sends a toggle", "clients", "client", "controller", Self.request(given),
                delimiter: true),
            try Self.step(
                "The controller resolves the toggle and sends a command", "devices", "controller", "node",
                Self.command(given)),
            try Self.step(
                "The device applies the command, and its node sends the result", "devices", "node",
                "controller",
                Self.result(given)),
            try Self.step(
                "The node publishes the changed row", "telemetry", "node", "controller",
                Telemetry(bootID: given.bootID, rows: [given.row]), topic: Topic.telemetry),
            try Self.step(
                "The client receives the outcome", "clients", "controller", "client", Self.reply(given),
                delimiter: true),
            try Self.step(
                "The observers receive the outcome", "stream", "controller", "observers",
                Self.update(given, 206, .outcome(Self.report(given))), topic: topic),
            try Self.step(
                "The observers receive the reported state", "stream", "controller", "observers",
                Self.update(given, 207, .reported(given.device, given.after)), topic: topic),
            try Self.step(
                "The next beat repeats the last sequence number", "stream", "controller", "observers",
                Self.update(given, 207, .beat, laterMs: 322), topic: topic),
        ]
    }

    private static func step<Message: Conformant>(
        _ title: String, _ socket: String, _ from: String, _ to: String, _ message: Message,
        topic: [UInt8]? = nil, delimiter: Bool = false
    ) throws -> Step {
        let bytes = message.wireBytes
        return Step(
            title: title, socket: socket, from: from, to: to, topic: topic, hasDelimiter: delimiter,
            kind: Message.kind, bytes: bytes, isReadBack: try Message(wireBytes: bytes) == message)
    }

    private static func request(_ given: Given) -> ClientRequest {
        let command = Command(
            requestID: given.requestID, device: given.device, kind: .toggle, timeout: .seconds(5))
        return ClientRequest(correlation: 14, token: given.token, body: .command(command))
    }

    private static func command(_ given: Given) -> ControllerMessage {
        let command = DeviceCommand(
            identity: given.identity, change: ACStateChange(isOn: true), base: given.before.version,
            timeToLive: .seconds(5))
        return ControllerMessage(epoch: given.epoch, body: .command(command))
    }

    private static func result(_ given: Given) -> NodeMessage {
        let result = CommandResult(
            commandNumber: given.identity.commandNumber, requestID: given.requestID, verdict: .applied,
            judged: given.after, deviceUs: 0, row: given.row)
        return NodeMessage(bootID: given.bootID, lastNumber: given.row.number, body: .result(result))
    }

    private static func report(_ given: Given) -> OutcomeReport {
        OutcomeReport(
            requestID: given.requestID, device: given.device, outcome: .applied(given.after),
            user: given.email, versionBefore: given.before.version, attempts: 1,
            command: .toggle, timing: .init(totalUs: 412, wireUs: 412))
    }

    private static func reply(_ given: Given) -> ClientReply {
        ClientReply(correlation: 14, body: .outcome(report(given)))
    }

    private static func update(
        _ given: Given, _ sequence: UInt64, _ body: StreamUpdate.Body, laterMs: Int64 = 0
    ) -> StreamUpdate {
        StreamUpdate(
            epoch: given.epoch, sequence: StreamSequence(sequence),
            at: given.at.advanced(by: .milliseconds(laterMs)), body: body)
    }
}

extension Exchange.Step {
    /// The entry in the vector file: the bytes of the last frame, and the rest of the step as text.
    func entry(number: Int) -> VectorFile.Entry {
        var lines = ["socket: \(socket)", "from: \(from)", "to: \(to)"]
        if hasDelimiter { lines.append("frame: empty") }
        if let topic { lines.append("frame: \(topic.hexadecimal)") }
        lines.append("message: \(kind)")
        return VectorFile.Entry(name: "\(number). \(title)", lines: lines, bytes: bytes)
    }

    /// The lines of the step in the document.
    func lines(number: Int, _ schema: ProtoSchema) throws -> [String] {
        var lines = ["### \(number). \(title)", "", "`\(socket)`, \(from) to \(to):", "", "```"]
        var frame = 1
        if hasDelimiter {
            lines.append("frame 1, 0 bytes: the delimiter")
            frame += 1
        }
        if let topic {
            lines.append("frame 1, \(topic.count) bytes: the topic \(String(decoding: topic, as: UTF8.self))")
            lines += topic.hexadecimalLines
            frame += 1
        }
        lines.append("frame \(frame), \(bytes.count) bytes: \(kind)")
        lines += try Dissection(of: bytes, as: kind, in: schema).fields.flatMap { try $0.lines }
        return lines + ["```", ""]
    }
}

extension Dissection.Field {
    /// The columns of the value and of its meaning.
    private static let (valueColumn, meaningColumn) = (31, 69)

    /// The bytes, with the value and its meaning beside the first line.
    fileprivate var lines: [String] {
        get throws {
            let meaning = try #require(
                Exchange.meanings["\(message).\(name)"], "\(message).\(name) has no meaning")
            let indented = String(repeating: "  ", count: depth) + "\(name): \(value)"
            var lines = bytes.hexadecimalLines
            lines[0] =
                lines[0].padded(to: Self.valueColumn)
                + indented.padded(to: Self.meaningColumn - Self.valueColumn) + meaning
            return lines
        }
    }
}

extension [UInt8] {
    /// Ten bytes per line.
    fileprivate var hexadecimalLines: [String] {
        let bytes = map { [$0].hexadecimal }
        return stride(from: 0, to: bytes.count, by: 10).map {
            bytes[$0..<Swift.min($0 + 10, bytes.count)].joined(separator: " ")
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(1, width - count))
    }
}
