extension ScreenContent {
    /// The part of the log on the screen.
    struct LogPart: Sendable, Equatable {
        /// The visible lines.
        let lines: [ScreenLine]
        /// The numbers of the messages on the screen, and their total.
        let position: String
        /// Whether only errors are shown.
        let isErrorsOnly: Bool
        /// The text that all shown messages contain, sanitized; empty for all messages.
        let filter: String
        /// Whether the newest messages are on the screen, and new ones will be.
        let isAtEnd: Bool

        /// Whether it shows all messages, and follows new ones.
        var isPlain: Bool { isAtEnd && !isErrorsOnly && filter.isEmpty }

        /// Returns the title.
        ///
        /// - Parameter isTyping: Whether the user is typing the filter.
        func title(isTyping: Bool) -> String {
            let title = isErrorsOnly ? "log: errors only" : "log"
            if isTyping { return "\(title)  /\(filter)▏" }
            return filter.isEmpty ? title : "\(title)  /\(filter)"
        }
    }
}
