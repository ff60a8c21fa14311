import FleetProtocol
import FleetReplica
public import FleetTime
import UserText

/// An event as a line of text.
public struct EventLine: Sendable, Equatable {
    /// The tones of a line.
    public enum Tone: Hashable, Sendable {
        /// A success or a recovery.
        case success
        /// A failure or a loss.
        case failure
        /// Information.
        case neutral
    }

    /// The source of the words, which are formatted only when needed.
    ///
    /// Hundreds of thousands of devices may report in a second, and as many requests end. Most of these lines
    /// are never read, or are written directly as bytes.
    private enum Content: Sendable, Equatable {
        case words(String)
        case history(ObserverEvent.History?)
        case reported(FleetEvent.Reported)
        indirect case outcome(FleetEvent.Outcome)
    }

    /// The time at the controller.
    public let at: WallTime
    /// The tone of the line.
    public let tone: Tone
    private let content: Content

    /// Whether it reports a failure or a loss.
    var isError: Bool { tone == .failure }

    /// A line of those values.
    public init(at: WallTime, tone: Tone, words: String) {
        (self.at, self.tone) = (at, tone)
        content = .words(words)
    }

    /// The line of a state that a device has reported.
    init(at: WallTime, _ reported: FleetEvent.Reported) {
        self.at = at
        tone = .neutral
        content = .reported(reported)
    }

    /// The words, safe for a terminal, without the time of day; times in the words are in UTC.
    public var words: String { words(TimeText.iso8601) }

    /// The words, with times that far east of UTC.
    func words(eastOfUTC offset: Duration) -> String { words { TimeText.local($0, eastOfUTC: offset) } }

    private func words(_ moment: (WallTime) -> String) -> String {
        switch content {
        case .words(let words): return words
        case .history(let history): return Self.words(of: history, moment)
        case .outcome(let end): return Self.words(of: end)
        case .reported:
            var bytes: [UInt8] = []
            appendWords(to: &bytes, moment)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The line of an event.
    public init(_ event: ObserverEvent) {
        at = event.at
        switch event.body {
        case .fleet(let body): (tone, content) = Self.told(body)
        case .notice(let notice): (tone, content) = Self.told(notice)
        }
    }

    /// The line with its time of day, that far east of UTC: `12:00:01.234 Bedroom 7: online`.
    public func text(eastOfUTC offset: Duration) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, eastOfUTC: offset)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the bytes of ``text(eastOfUTC:)``.
    public func append(to output: inout [UInt8], eastOfUTC offset: Duration) {
        TimeText.append(timeOfDay: at, eastOfUTC: offset, to: &output)
        output.append(UInt8(ascii: " "))
        appendWords(to: &output) { TimeText.local($0, eastOfUTC: offset) }
    }

    private func appendWords(to output: inout [UInt8], _ moment: (WallTime) -> String) {
        switch content {
        case .words, .history, .outcome: output += words(moment).utf8
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

    private static func told(_ body: FleetEvent.Body) -> (Tone, Content) {
        let (tone, words): (Tone, String)
        switch body {
        case .reported(let reported): return (.neutral, .reported(reported))
        case .presence(let device, let presence):
            tone = presence.kind == .online ? .success : .failure
            words = "\(device.label): \(presence.kind.words)"
        case .node(let change): (tone, words) = spoken(change)
        case .outcome(let end): return (Tone(of: end.report.outcome), .outcome(end))
        case .added(let device): (tone, words) = (.neutral, "\(device.label): added, ID \(device.id)")
        case .removed(let device): (tone, words) = (.neutral, "\(device.label): removed")
        case .connection(let state): (tone, words) = spoken(state)
        case .stale(let reason): (tone, words) = (.failure, "stale: \(reason.words)")
        case .resync(let resync): (tone, words) = (.success, Self.words(of: resync))
        case .measured(let devices): (tone, words) = (.neutral, "\(Count.of(devices.count, "pod")) measured")
        case .settings(let device, let settings):
            (tone, words) = (.neutral, "\(device.label): \(settings.words)")
        case .service(let message): (tone, words) = (.neutral, "service \(message.service): changed")
        }
        return (tone, .words(words))
    }

    private static func how(of reported: FleetEvent.Reported) -> String {
        guard !reported.isRepair else { return "from a snapshot" }
        return reported.state.version == Version(1) ? "initially" : reported.cause.words
    }

    private static func words(of resync: FleetEvent.Resync) -> String {
        let devices = Count.of(resync.devices, "device")
        let stale = TimeText.span(microseconds: resync.staleFor.wholeMicroseconds)
        return resync.isFirst ? "watching \(devices)" : "up to date again: \(devices), after \(stale)"
    }

    private static func spoken(_ change: FleetEvent.NodeChange) -> (Tone, String) {
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

    private static func spoken(_ connection: ConnectionState) -> (Tone, String) {
        switch connection {
        case .connecting: (.neutral, "connecting to the controller")
        case .established: (.success, "connected to the controller")
        case .failed(let why): (.failure, "connection error: \(SafeText.of(why)); waiting for the controller")
        }
    }

    private static func told(_ notice: ObserverEvent.Notice) -> (Tone, Content) {
        switch notice {
        case .signedOut(let advice): (.failure, .words("logged out: \(SafeText.of(advice))"))
        case .signedIn: (.success, .words("logged in again"))
        case .held(_, let condition): (.success, .words("condition met: \(SafeText.of(condition))"))
        case .history(let history): (history == nil ? .failure : .neutral, .history(history))
        }
    }
}
