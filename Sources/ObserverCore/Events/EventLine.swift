import FleetProtocol
public import Stepping
import Wording

/// An event in words: one line for a person.
public struct EventLine: Sendable, Equatable {
    /// How it sounds.
    public enum Tone: Hashable, Sendable {
        /// Done as asked, or well again.
        case success
        /// Something did not come about, or is gone.
        case failure
        /// Only to be known.
        case neutral
    }

    /// When the controller knew.
    public let at: WallTime
    /// How it sounds.
    public let tone: Tone
    /// The words, fit for a terminal, without the time.
    public let words: String

    /// The line of those parts.
    public init(at: WallTime, tone: Tone, words: String) {
        self.at = at
        self.tone = tone
        self.words = words
    }

    /// The line of an event.
    public init(_ event: ObserverEvent) {
        at = event.at
        switch event.body {
        case .reported(let reported): (tone, words) = Self.spoken(reported)
        case .presence(let device, let presence):
            tone = presence.kind == .online ? .success : .failure
            words = "\(device.label): \(presence.kind.words)"
        case .node(let change): (tone, words) = Self.spoken(change)
        case .outcome(let outcome): (tone, words) = Self.spoken(outcome)
        case .notice(let notice): (tone, words) = Self.spoken(notice)
        case .stale(let reason):
            tone = .failure
            words = "stale: \(reason.words)"
        case .resync(let resync):
            tone = .success
            let devices = Count.of(resync.devices, "device")
            let stale = TimeText.span(microseconds: resync.staleFor.wholeMicroseconds)
            words = resync.isFirst ? "watching \(devices)" : "up to date again: \(devices), after \(stale)"
        case .measured(let devices):
            tone = .neutral
            words = "\(Count.of(devices.count, "pod")) measured"
        }
    }

    /// The line with its time of day, that far east of UTC: `12:00:01.234 Bedroom 7: online`.
    public func text(eastOfUTC offset: Duration) -> String {
        "\(TimeText.timeOfDay(at, eastOfUTC: offset)) \(words)"
    }

    private static func spoken(_ reported: ObserverEvent.Reported) -> (Tone, String) {
        let state = reported.state
        let how = reported.isRepair ? "learnt late" : "by hand remote"
        return (
            .neutral,
            "\(reported.device.label): \(state.state.power) \(how) (version \(state.version))"
        )
    }

    private static func spoken(_ change: ObserverEvent.NodeChange) -> (Tone, String) {
        let devices = Count.of(change.devices, "device")
        return switch change.presence.kind {
        case .online: (.success, "\(change.node) online: \(devices)")
        case .stale: (.failure, "\(change.node) silent: \(devices) stale")
        case .offline(.nodeLeft): (.failure, "\(change.node) left: \(devices) offline")
        case .offline(.nodeLost): (.failure, "\(change.node) lost: \(devices) offline")
        case .offline(.disconnected): (.failure, "\(change.node) disconnected: \(devices) offline")
        case .unknown: (.neutral, "\(change.node) not heard of since the controller started: \(devices)")
        }
    }

    private static func spoken(_ notice: ObserverEvent.Notice) -> (Tone, String) {
        switch notice {
        case .added(let device): (.neutral, "\(device.label): new, id \(device.id)")
        case .removed(let device): (.neutral, "\(device.label): gone for good")
        case .connection(.connecting): (.neutral, "connecting to the controller")
        case .connection(.established): (.success, "connected to the controller")
        case .connection(.failed(let why)):
            (.failure, "connection error: \(SafeText.of(why)); waiting for the controller")
        case .signedOut(let advice): (.failure, "signed out: \(SafeText.of(advice))")
        case .signedIn: (.success, "signed in again")
        case .held(_, let condition): (.success, "it holds: \(SafeText.of(condition))")
        case .history(let history): Self.spoken(history)
        }
    }
}
