/// A key as a terminal reports it.
public enum Key: Hashable, Sendable {
    /// A character that can be seen, or a blank.
    case character(Character)
    case enter, escape, backspace
    case up, down, pageUp, pageDown, home, end
    /// Ctrl-C, which a raw terminal gives as a byte.
    case interrupt
    /// One that means nothing here.
    case other

    /// What the key means; nil when it means nothing now.
    ///
    /// - Parameter isTyping: Whether a filter is being typed, so that letters are letters.
    public func intent(isTyping: Bool) -> ViewIntent? {
        switch self {
        case .interrupt: .quit
        case .up: .move(-1)
        case .down: .move(1)
        case .pageUp: .page(-1)
        case .pageDown: .page(1)
        case .home: .first
        case .end: .last
        case .escape: .dropFilter
        case .enter: isTyping ? .acceptFilter : nil
        case .backspace: isTyping ? .erase : nil
        case .character(let character): isTyping ? .type(character) : Self.command(character)
        case .other: nil
        }
    }

    private static func command(_ character: Character) -> ViewIntent? {
        switch character {
        case "q": .quit
        case "/": .beginFilter
        case "s": .nextSort
        case " ": .togglePause
        case "f": .toggleFaultsOnly
        case "?": .toggleHelp
        default: nil
        }
    }
}
