import FleetProtocol
import FleetReplica
import UserText

struct EventLine: Sendable, Equatable {
    enum Tone: Hashable, Sendable {
        case success
        case failure
        case neutral
    }

    /// The source of the words, which are formatted only when needed. Hundreds of thousands of devices may
    /// report in a second, and as many requests end. Most of these lines are never read, or are written
    /// directly as bytes.
    private enum Content: Sendable, Equatable {
        case text(String)
        case history(ObserverEvent.History?)
        case reported(FleetEvent.Reported)
        indirect case outcome(FleetEvent.Outcome)
    }

    let at: WallTime
    let tone: Tone
    private let content: Content

    /// Whether it reports a failure or a loss.
    var isError: Bool { tone == .failure }

    var kind: Kind {
        switch content {
        case .outcome(let end): Kind(end)
        case .text, .history, .reported: Kind(text)
        }
    }

    init(at: WallTime, tone: Tone, text: String) {
        (self.at, self.tone) = (at, tone)
        content = .text(text)
    }

    init(at: WallTime, _ reported: FleetEvent.Reported) {
        self.at = at
        tone = .neutral
        content = .reported(reported)
    }

    /// The words, safe for a terminal, without the time of day; times in the words are in UTC.
    var text: String { text(TimeText.iso8601) }

    /// The words, with times that far east of UTC.
    func text(eastOfUTC offset: Duration) -> String { text { TimeText.local($0, eastOfUTC: offset) } }

    private func text(_ moment: (WallTime) -> String) -> String {
        switch content {
        case .text(let text): return text
        case .history(let history): return Self.text(of: history, moment)
        case .outcome(let end): return Self.text(of: end)
        case .reported:
            var bytes: [UInt8] = []
            appendText(to: &bytes, moment)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    init(_ event: ObserverEvent) {
        at = event.at
        switch event.body {
        case .fleet(let body): (tone, content) = Self.rendered(body)
        case .notice(let notice): (tone, content) = Self.rendered(notice)
        }
    }

    /// The line with its time of day, that far east of UTC: `12:00:01.234 Bedroom 7: online`.
    func timedText(eastOfUTC offset: Duration) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, eastOfUTC: offset)
        return String(decoding: bytes, as: UTF8.self)
    }

    func append(to output: inout [UInt8], eastOfUTC offset: Duration) {
        TimeText.append(timeOfDay: at, eastOfUTC: offset, to: &output)
        output.append(UInt8(ascii: " "))
        appendText(to: &output) { TimeText.local($0, eastOfUTC: offset) }
    }

    /// Appends a line of a log file: `2026-01-31T12:00:01.234Z error Bedroom 7: offline (no link)`.
    func appendLogLine(to output: inout [UInt8]) {
        output += "\(TimeText.iso8601(at)) \(isError ? "error" : "info") \(text)\n".utf8
    }

    private func appendText(to output: inout [UInt8], _ moment: (WallTime) -> String) {
        switch content {
        case .text, .history, .outcome: output += text(moment).utf8
        case .reported(let reported):
            output += reported.device.label.utf8
            output += (reported.state.state.isOn ? ": on" : ": off").utf8
            output.append(UInt8(ascii: " "))
            output += Self.how(of: reported).utf8
            output += " (version ".utf8
            output.append(decimal: reported.state.version.value)
            output.append(UInt8(ascii: ")"))
        }
    }

    private static func rendered(_ body: FleetEvent.Body) -> (Tone, Content) {
        let (tone, text): (Tone, String)
        switch body {
        case .reported(let reported): return (.neutral, .reported(reported))
        case .presence(let device, let presence):
            tone = presence.kind == .online ? .success : .failure
            text = "\(device.label): \(presence.kind.text)"
        case .node(let change): (tone, text) = described(change)
        case .outcome(let end): return (Tone(of: end.report.outcome), .outcome(end))
        case .added(let device): (tone, text) = (.neutral, "\(device.label): added, ID \(device.id)")
        case .removed(let device): (tone, text) = (.neutral, "\(device.label): removed")
        case .connection(let state): (tone, text) = described(state)
        case .stale(let reason): (tone, text) = (.failure, "stale: \(reason.text)")
        case .resync(let resync): (tone, text) = (.success, Self.text(of: resync))
        case .measured(let devices): (tone, text) = (.neutral, "\(Count.of(devices.count, "pod")) measured")
        case .settings(let device, let settings):
            (tone, text) = (.neutral, "\(device.label): \(settings.text)")
        case .service(let message): (tone, text) = (.neutral, "service \(message.service): changed")
        }
        return (tone, .text(text))
    }

    private static func how(of reported: FleetEvent.Reported) -> String {
        guard !reported.isRepair else { return "from a snapshot" }
        return reported.state.version == Version(1) ? "initially" : reported.cause.text
    }

    private static func text(of resync: FleetEvent.Resync) -> String {
        let devices = Count.of(resync.devices, "device")
        let stale = TimeText.span(microseconds: resync.staleFor.wholeMicroseconds)
        return resync.isFirst ? "watching \(devices)" : "up to date again: \(devices), after \(stale)"
    }

    private static func described(_ change: FleetEvent.NodeChange) -> (Tone, String) {
        let devices = Count.of(change.devices, "device")
        return switch change.presence.kind {
        case .online: (.success, "\(change.node) online: \(devices)")
        case .stale: (.failure, "\(change.node) silent: \(devices) stale")
        case .offline(.nodeLeft): (.failure, "\(change.node) left: \(devices) offline")
        case .offline(.nodeLost): (.failure, "\(change.node) lost: \(devices) offline")
        case .offline(.disconnected): (.failure, "\(change.node) disconnected: \(devices) offline")
        case .unknown: (.neutral, "\(change.node) not seen since the controller started: \(devices)")
        }
    }

    private static func described(_ connection: ConnectionState) -> (Tone, String) {
        switch connection {
        case .connecting: (.neutral, "connecting to the controller")
        case .established: (.success, "connected to the controller")
        case .failed(let why): (.failure, "connection error: \(SafeText.of(why)); waiting for the controller")
        }
    }

    private static func rendered(_ notice: ObserverEvent.Notice) -> (Tone, Content) {
        switch notice {
        case .signedOut(let advice): (.failure, .text("logged out: \(SafeText.of(advice))"))
        case .signedIn: (.success, .text("logged in again"))
        case .held(_, let condition): (.success, .text("condition met: \(SafeText.of(condition))"))
        case .history(let history): (history == nil ? .failure : .neutral, .history(history))
        }
    }
}
