/// How a program goes to a screen of its own on a terminal, and back.
public enum TerminalScreen {
    /// Goes to the alternate screen and hides the cursor.
    public static let enter = "\u{1b}[?1049h\u{1b}[?25l"
    /// Shows what is held back, ends colours, shows the cursor and goes back to the screen that was.
    public static let leave = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"
}
