/// A key as a terminal reports it.
enum Key: Hashable, Sendable {
    /// A visible character or a space.
    case character(Character)
    /// A character of pasted text, for fields only.
    case pasted(Character)
    case enter, escape, backspace
    case up, down, left, right, pageUp, pageDown, home, end
    case tab
    /// Tab with the shift key.
    case backTab
    /// Ctrl-C, which a terminal in raw mode sends as a byte.
    case interrupt
    /// Ctrl-Z, which does not stop a program in raw mode.
    case suspend
    /// Ctrl-L: draw the whole screen again.
    case redraw
    /// A press of the left button of the mouse; column and line begin at 0.
    case click(column: Int, line: Int)
    /// A turn of the wheel by that many lines, down if positive.
    case wheel(Int, column: Int, line: Int)
    /// A key without a meaning.
    case other

    /// Returns the action of the key; nil if it has none in that focus.
    func intent(in focus: ViewFocus) -> ViewIntent? {
        guard focus != .stopping else { return stoppingIntent }
        return switch self {
        case .interrupt: .quit
        case .suspend: .suspend
        case .up: .move(-1)
        case .down: .move(1)
        case .pageUp: .page(-1)
        case .pageDown: .page(1)
        case .home: .first
        case .end: .last
        case .tab: .nextPane(1)
        case .backTab: .nextPane(-1)
        case .escape: .dismiss
        case .enter: Self.entered(in: focus)
        case .backspace: focus.isTyping ? .erase : nil
        case .character(let character):
            switch focus {
            case .filter, .logFilter, .fileName: .type(character)
            case .replacing: character == "y" ? .accept : .dismiss
            case .columns where character == " ": .toggleColumn
            case .table, .details, .help, .roster, .log, .columns: Self.command(character, in: focus)
            case .stopping: stoppingIntent
            }
        case .pasted(let character): focus.isTyping ? .type(character) : nil
        case .left, .right, .redraw, .click, .wheel, .other: nil
        }
    }

    /// Returns the action of the mouse on a screen of a layout; nil for a key, and while a text is typed or a
    /// question is open.
    func intent(in focus: ViewFocus, on layout: ScreenLayout) -> ViewIntent? {
        guard !focus.isTyping, focus != .replacing, focus != .stopping else { return nil }
        return switch self {
        case .click(let column, let line): .point(layout.place(column: column, line: line))
        case .wheel(let lines, let column, let line):
            .scroll(lines, at: layout.place(column: column, line: line))
        default: nil
        }
    }

    /// Only `q` or Ctrl-C, pressed again, stops a fleet.
    private var stoppingIntent: ViewIntent? {
        switch self {
        case .interrupt, .character("q"): .quit
        case .redraw, .suspend, .click, .wheel, .pasted, .other: nil
        default: .dismiss
        }
    }

    private static func entered(in focus: ViewFocus) -> ViewIntent {
        switch focus {
        case .table: .showDetails
        case .filter, .logFilter, .fileName: .accept
        case .log: .toggleLog
        // Only a plain yes replaces a file.
        case .details, .help, .roster, .columns, .replacing, .stopping: .dismiss
        }
    }

    private static func command(_ character: Character, in focus: ViewFocus) -> ViewIntent? {
        switch character {
        case "q": .quit
        case "j": .move(1)
        case "k": .move(-1)
        case "g": .first
        case "G": .last
        case "?": .toggleHelp
        case " ": .togglePause
        case "d": .toggleRoster
        case "r": .refreshRoster
        case "l": .toggleLog
        case "!": .toggleErrors
        case "p": focus.hasDevice || focus == .log ? .toggleDetailsBeside : nil
        case "t": focus.hasDevice ? .toggleDevice : nil
        case "c": focus.hasDevice ? .cancelToggle : nil
        case "/": focus == .table || focus == .log ? .beginFilter : nil
        case "s": focus == .table ? .nextSort : nil
        case "S": focus == .table ? .reverseSort : nil
        case "b": focus == .table ? .nextGrouping : nil
        case "C": focus == .table ? .chooseColumns : focus == .columns ? .dismiss : nil
        case "f": focus == .table ? .toggleFaultsOnly : nil
        case "e": focus == .table ? .export : nil
        default: nil
        }
    }
}
