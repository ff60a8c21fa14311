import Stepping
import Wording

/// A message as lines of the screen: a mark for an error, the time of day, and all words.
enum MessageLines {
    /// Narrower screens show no times.
    private static let leastWidthWithTime = 24
    private static let mark = "! "
    private static let timeWidth = 9

    /// The lines of a message on a screen of that width; at least one.
    static func of(_ message: EventLine, width: Int, eastOfUTC: Duration) -> [ScreenLine] {
        let markWidth = DisplayWidth.of(mark)
        let hasTime = width >= leastWidthWithTime
        let indent = markWidth + (hasTime ? timeWidth : 0)
        let words = WrappedText.lines(
            of: message.words(eastOfUTC: eastOfUTC), in: max(1, width - indent))
        return words.enumerated().map { number, words in
            var line = ScreenLine()
            if number == 0 {
                line.append(
                    message.isError ? mark : DisplayWidth.blanks(markWidth), Style(color: .red, isBold: true))
                if hasTime { line.append("\(time(of: message, eastOfUTC)) ", .dim) }
            } else {
                line.append(DisplayWidth.blanks(indent))
            }
            line.append(words, Style.of(message.tone))
            return line
        }
    }

    private static func time(of message: EventLine, _ eastOfUTC: Duration) -> Substring {
        TimeText.timeOfDay(message.at, eastOfUTC: eastOfUTC).prefix(timeWidth - 1)
    }
}
