extension ScreenContent {
    /// The part of the log on the screen.
    public struct LogPart: Sendable, Equatable {
        /// The visible lines.
        public let lines: [ScreenLine]
        /// The numbers of the messages on the screen, and their total.
        public let position: String
        /// Whether only errors are shown.
        public let isErrorsOnly: Bool
        /// The text that all shown messages contain, sanitized; empty for all messages.
        public let filter: String
        /// Whether the newest messages are on the screen, and new ones will be.
        public let isAtEnd: Bool

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
