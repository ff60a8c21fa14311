import FleetProtocol

/// Encodes screens as terminal output, and writes only the changes to avoid flicker.
struct ScreenWriter: Sendable {
    /// The marks around a synchronized update; terminals without support ignore them.
    private static let frame = (begin: "\u{1b}[?2026h", end: "\u{1b}[?2026l")

    private let palette: Palette?
    private var shown: [ScreenLine] = []
    private var width = 0

    /// A writer that has shown nothing; without a palette, it still uses bold and reversed text.
    init(palette: Palette?) { self.palette = palette }

    /// Forgets the shown screen, so that the next screen is written completely: the terminal may show other
    /// content.
    mutating func reset() { shown = [] }

    /// Returns the output that changes the last screen into this one; empty if they are equal.
    mutating func bytes(for lines: [ScreenLine]) -> [UInt8] {
        var output = Array(Self.frame.begin.utf8)
        let start = output.count
        let newWidth = lines.first?.width ?? 0
        if shown.count != lines.count || width != newWidth {
            output += "\u{1b}[0m\u{1b}[2J".utf8
            shown = Array(repeating: ScreenLine(), count: lines.count)
        }
        for (index, line) in lines.enumerated() where shown[index] != line {
            append(line, at: index + 1, over: shown[index], to: &output)
        }
        shown = lines
        width = newWidth
        guard output.count > start else { return [] }
        output += Self.frame.end.utf8
        return output
    }

    /// Appends the output that changes a line: from the first piece that differs to the last.
    private func append(_ line: ScreenLine, at row: Int, over old: ScreenLine, to output: inout [UInt8]) {
        let same = zip(line.spans, old.spans).prefix { $0 == $1 }.count
        let column = line.spans.prefix(same).reduce(1) { $0 + $1.width }
        var rest = line.spans.dropFirst(same)
        // Equal pieces at the end have the same columns only in lines of the same width.
        if line.width == old.width {
            let oldRest = old.spans.dropFirst(same)
            rest = rest.dropLast(zip(rest.reversed(), oldRest.reversed()).prefix { $0 == $1 }.count)
        }
        output += "\u{1b}[\(row);\(column)H".utf8
        for span in rest {
            append(span.style, to: &output)
            output += span.text.utf8
        }
        output += "\u{1b}[0m".utf8
    }

    private func append(_ style: Style, to output: inout [UInt8]) {
        output += "\u{1b}[0".utf8
        if style.isBold { output += ";1".utf8 }
        if style.isDim { output += ";2".utf8 }
        if style.isReversed { output += ";7".utf8 }
        if let palette, let color = style.color {
            output.append(UInt8(ascii: ";"))
            output += palette.code(of: color).utf8
        }
        output.append(UInt8(ascii: "m"))
    }
}

/// The last drawn rows of the table; rows that do not change between frames are not drawn again.
struct DrawnRows: Sendable {
    private var rows: [ScreenContent.Row] = []
    private var lines: [ScreenLine] = []
    private var isDisconnected = false
    private var width = 0
    private var columns: [TableColumn] = []

    /// Returns the lines of rows, and draws only rows that differ from the last ones in their places.
    mutating func lines(
        of new: [ScreenContent.Row], isDisconnected: Bool, columns: [TableColumn], width: Int,
        _ draw: (ScreenContent.Row, _ isDisconnected: Bool, [TableColumn], _ width: Int) -> ScreenLine
    ) -> [ScreenLine] {
        let new = new.map(\.seen)
        let isSame =
            self.isDisconnected == isDisconnected && self.width == width && self.columns == columns
        let old = isSame ? rows.count : 0
        lines = new.indices.map { index in
            index < old && rows[index] == new[index]
                ? lines[index] : draw(new[index], isDisconnected, columns, width)
        }
        (rows, self.isDisconnected, self.width, self.columns) = (new, isDisconnected, width, columns)
        return lines
    }
}

/// The times at which the screen may be drawn: at most 30 times in any second, and at once for a key. Changes
/// without a key are drawn every ``interval``. That leaves frames for keys: five at any time, and one more
/// each 40 ms (the generic cell rate algorithm, ITU-T I.371).
struct FramePace: Sendable {
    /// The interval between frames without a key.
    static let interval: Duration = .milliseconds(50)

    /// The time that a frame uses up, and how far frames may be ahead: 1 + (1,000 + 160) / 40 = 30 in a
    /// second.
    private static let share: Duration = .milliseconds(40)
    private static let ahead: Duration = share * 4

    private var last: MonotonicTime?
    /// The time at which all frames so far are used up.
    private var paid = MonotonicTime.zero
    /// Whether a key was pressed since the last frame.
    private var isUrgent = false

    /// Notes that a key was pressed: the next frame is drawn as soon as one may be.
    mutating func hurry() { isUrgent = true }

    /// Begins a frame; returns false if it is too soon.
    mutating func claim(at now: MonotonicTime) -> Bool {
        guard wait(at: now) == .zero else { return false }
        last = now
        paid = max(paid, now).advanced(by: Self.share)
        isUrgent = false
        return true
    }

    /// Returns the time until the screen may be drawn.
    func wait(at now: MonotonicTime) -> Duration {
        guard let last else { return .zero }
        let allowed = now.duration(to: paid) - Self.ahead
        let due: Duration = isUrgent ? .zero : now.duration(to: last.advanced(by: Self.interval))
        return max(.zero, allowed, due)
    }
}
