import UserText

/// Breaks text into lines of a width.
enum WrappedText {
    /// Returns the lines of a text, each at most that many columns wide; at least one.
    ///
    /// A line ends between two words where that is possible, and within a word that is wider than a line.
    static func lines(of text: String, in width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        func endLine() {
            lines.append(line)
            (line, used) = ("", 0)
        }
        for word in text.split(separator: " ") {
            let columns = DisplayWidth.of(String(word))
            if used > 0 {
                if used + 1 + columns <= width {
                    line += " \(word)"
                    used += 1 + columns
                    continue
                }
                endLine()
            }
            if columns <= width {
                (line, used) = (String(word), columns)
                continue
            }
            for character in word {
                let columns = DisplayWidth.of(String(character))
                if used > 0, used + columns > width { endLine() }
                line.append(character)
                used += columns
            }
        }
        return lines + [line]
    }
}
