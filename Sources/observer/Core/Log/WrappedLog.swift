import UserText

/// The messages of a log as lines of a width; a line with the date precedes the first message of each day.
/// Messages are wrapped on demand: only those on the screen, not all thousands.
struct WrappedLog {
    /// A line of the log: the message, and the line within it.
    struct Place: Equatable, Comparable {
        /// The message's place in ``entries``.
        var entry: Int
        var line: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.entry, left.line) < (right.entry, right.line)
        }
    }

    let entries: LogEntries
    let width: Int
    let hasDates: Bool
    let eastOfUTC: LocalOffset

    func lines(of entry: Int) -> [ScreenLine] {
        let message = entries[entry]
        let lines = MessageLines.of(message, width: width, eastOfUTC: eastOfUTC(message.line.at))
        guard hasDates else { return lines }
        let date = date(of: entry)
        guard entry == 0 || self.date(of: entry - 1) != date else { return lines }
        return [ScreenLine(date, .dim)] + lines
    }

    /// The place that many lines further on, or back if negative; within the log.
    func place(_ distance: Int, from start: Place) -> Place {
        var place = start
        var left = distance
        while left < 0 {
            if place.line > 0 {
                let step = min(place.line, -left)
                place.line -= step
                left += step
            } else {
                guard place.entry > 0 else { return place }
                place.entry -= 1
                place.line = lines(of: place.entry).count
            }
        }
        while left > 0, place.entry < entries.count {
            let step = min(lines(of: place.entry).count - place.line, left)
            place.line += step
            left -= step
            guard place.line == lines(of: place.entry).count else { continue }
            (place.entry, place.line) = (place.entry + 1, 0)
        }
        return place
    }

    /// Returns the first line of the last screen of that many rows.
    func lastTop(rows: Int) -> Place { place(-rows, from: Place(entry: entries.count, line: 0)) }

    /// Returns that many lines from a place on, and the place behind them.
    func lines(from start: Place, rows: Int) -> (lines: [ScreenLine], end: Place) {
        var lines: [ScreenLine] = []
        var place = start
        while lines.count < rows, place.entry < entries.count {
            let all = self.lines(of: place.entry)
            let visible = all.dropFirst(place.line).prefix(rows - lines.count)
            lines += visible
            place.line += visible.count
            if place.line >= all.count { (place.entry, place.line) = (place.entry + 1, 0) }
        }
        return (lines, place)
    }

    private func date(of entry: Int) -> String {
        let time = entries[entry].line.at
        return TimeText.date(time, eastOfUTC: eastOfUTC(time))
    }
}

/// A message as lines of the screen: a mark for an error, the time of day, and all words.
enum MessageLines {
    /// Narrower screens show no times.
    private static let leastWidthWithTime = 24
    private static let mark = "! "
    private static let timeWidth = 9

    /// The lines of a message on a screen of that width; at least one.
    static func of(_ entry: MessageLog.Entry, width: Int, eastOfUTC: Duration) -> [ScreenLine] {
        let message = entry.line
        let markWidth = DisplayWidth.of(mark)
        let hasTime = width >= leastWidthWithTime
        let indent = markWidth + (hasTime ? timeWidth : 0)
        let text = WrappedText.lines(of: entry.text(eastOfUTC: eastOfUTC), in: max(1, width - indent))
        return text.enumerated().map { number, text in
            var line = ScreenLine()
            if number == 0 {
                line.append(
                    message.isError ? mark : DisplayWidth.blanks(markWidth), Style(color: .red, isBold: true))
                if hasTime { line.append("\(time(of: message, eastOfUTC)) ", .dim) }
            } else {
                line.append(DisplayWidth.blanks(indent))
            }
            line.append(text, Style.of(message.tone))
            return line
        }
    }

    private static func time(of message: EventLine, _ eastOfUTC: Duration) -> Substring {
        TimeText.timeOfDay(message.at, eastOfUTC: eastOfUTC).prefix(timeWidth - 1)
    }
}
