/// What a person wants of a recording that is played.
public enum PlaybackIntent: Hashable, Sendable {
    /// By that many steps on, or back if negative.
    case step(Int)
    /// To its first moment.
    case first
    /// To its last moment.
    case last
    /// It stands still, or goes on.
    case togglePause
}

extension Key {
    /// What the key means to a recording that is played; nil when it is the screen's own: what is typed or
    /// answered there comes before.
    public func playback(in focus: ViewFocus) -> PlaybackIntent? {
        guard !focus.isTyping, focus != .replacing, focus != .stopping else { return nil }
        return switch self {
        case .left: .step(-1)
        case .right: .step(1)
        case .home: .first
        case .end: .last
        case .character(" "): .togglePause
        case .character, .enter, .escape, .backspace, .up, .down, .pageUp, .pageDown, .interrupt, .redraw,
            .other:
            nil
        }
    }
}
