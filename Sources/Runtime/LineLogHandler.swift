import Logging
import Stepping
import Wording

/// Makes one line of each log message.
struct LineLogHandler: LogHandler {
    let process: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    /// The time, for the start of the line.
    let now: @Sendable () -> WallTime
    /// Takes a line with its end.
    let write: @Sendable (String) -> Void

    init(
        process: String, logLevel: Logger.Level, now: @escaping @Sendable () -> WallTime,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.process = process
        self.logLevel = logLevel
        self.now = now
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = "\(TimeText.iso8601(now())) \(event.level) \(process): \(Self.oneLine("\(event.message)"))"
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { _, provided in provided }
        all.merge(event.metadata ?? [:]) { _, own in own }
        if let error = event.error { all["error"] = "\(error)" }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line += " \(Self.oneLine(key))=\(Self.quoted("\(value)"))"
        }
        write(line + "\n")
    }

    /// The text with its control characters written out, so that nobody can forge a line.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// The text in quotes where a reader could not tell its end.
    private static func quoted(_ text: String) -> String {
        let needsQuotes = text.isEmpty || text.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        guard needsQuotes else { return oneLine(text) }
        let escaped = text.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) }
        return "\"\(oneLine(escaped))\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
        default: false
        }
    }
}
