import FleetProtocol
import FleetTime
import UserText

/// Shifts as they stand in a file of comma-separated values (RFC 4180): a line each, below one that names the
/// columns `who`, `from` and `to`, in any order, and `email` where wanted.
///
/// The parser takes what looks like a row; what it passes over is looked at here, line by line: quotes that
/// are not closed, fields that are missing or too many, and breaks of lines that are none.
struct ShiftFile: Equatable {
    /// Bytes of the largest file that is read: a plan of the largest size takes less.
    static let bytesAtMost = 8 << 20

    /// A line that cannot be taken.
    struct Problem: Equatable, CustomStringConvertible {
        /// Which, from 1.
        let line: Int
        let what: String

        var description: String { "line \(line): \(what)" }
    }

    /// Why a file cannot be taken: all that is wrong in it.
    struct Unusable: Error, Equatable {
        let problems: [Problem]
    }

    /// The shifts, in the order of the file.
    private(set) var shifts: [Shift] = []
    /// What people should know of how it was read.
    private(set) var notes: [String] = []

    /// Reads a file.
    ///
    /// - Parameter clock: The clocks of the place where it was written.
    /// - Throws: ``Unusable``.
    init(_ text: String, by clock: PlaceClock) throws(Unusable) {
        let lines = Self.lines(of: text)
        guard let (place, heading) = lines.first else {
            throw Unusable(problems: [Problem(line: 1, what: "there is no heading; begin with who,from,to")])
        }
        let row: CSVRow
        do throws(CSVRow.Problem) {
            row = try CSVRow(heading)
            let unknown = row.unknownColumns
            if !unknown.isEmpty { notes.append("not read: the columns \(unknown.joined(separator: ", "))") }
        } catch {
            throw Unusable(problems: [Problem(line: place, what: error.what)])
        }
        var problems: [Problem] = []
        for (place, line) in lines.dropFirst() {
            do throws(CSVRow.Problem) {
                var read: [String] = []
                let shift = try Self.shift(try row.fields(of: line), by: clock) { read.append($0) }
                shifts.append(shift)
                notes += read.map { "line \(place): \($0)" }
            } catch {
                problems.append(Problem(line: place, what: error.what))
            }
        }
        if problems.isEmpty, shifts.count > Limits.accountShifts {
            problems.append(
                Problem(
                    line: lines[Limits.accountShifts + 1].place,
                    what: "a roster has \(Limits.accountShifts) shifts at most; leave out what is over"))
        }
        guard problems.isEmpty else { throw Unusable(problems: problems) }
    }

    /// Lines with something in them, each with its place from 1; a byte order mark is none of it.
    private static func lines(of text: String) -> [(place: Int, text: String)] {
        let content = text.hasPrefix("\u{feff}") ? text.dropFirst() : text[...]
        return content.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
            .enumerated().map { ($0 + 1, String($1)) }.filter { !$0.1.allSatisfy(\.isWhitespace) }
    }

    private static func shift(
        _ fields: CSVRow.Fields, by clock: PlaceClock, note: (String) -> Void
    ) throws(CSVRow.Problem) -> Shift {
        let (who, email) = try person(fields)
        let from = try time("from", fields.from, after: nil, by: clock, note: note)
        let to = try time("to", fields.to, after: from, by: clock, note: note)
        do throws(ShiftError) {
            return try Shift(who: who, email: email, from: from, to: to)
        } catch {
            throw CSVRow.Problem(what: error.description)
        }
    }

    /// Who it is, and their email: of a column of its own, or as in `Kari <kari@example.com>`, or alone.
    private static func person(_ fields: CSVRow.Fields) throws(CSVRow.Problem) -> (String, Email?) {
        if let text = fields.email {
            guard !text.isEmpty else { return (fields.who, nil) }
            let email = try address(text)
            return (fields.who.isEmpty ? email.address : fields.who, email)
        }
        if let start = fields.who.lastIndex(of: "<"), fields.who.hasSuffix(">") {
            let email = try address(String(fields.who[start...].dropFirst().dropLast()))
            let name = String(fields.who[..<start].reversed().drop(while: \.isWhitespace).reversed())
            return (name.isEmpty ? email.address : name, email)
        }
        let email = Email(fields.who)
        return (email?.address ?? fields.who, email)
    }

    private static func address(_ text: String) throws(CSVRow.Problem) -> Email {
        guard let email = Email(text) else {
            throw CSVRow.Problem(
                what: "'\(SafeText.of(text))' is no email address; write one, or the name alone")
        }
        return email
    }

    private static func time(
        _ field: String, _ text: String, after beginning: WallTime?, by clock: PlaceClock,
        note: (String) -> Void
    ) throws(CSVRow.Problem) -> WallTime {
        do throws(ShiftTime.Problem) {
            return try ShiftTime(text).time(after: beginning, by: clock) { note("\(field): \($0)") }
        } catch {
            throw CSVRow.Problem(what: "\(field): \(error.what)")
        }
    }

    // MARK: Writing

    /// The lines of a file from which the same shifts are read.
    static func lines(of shifts: [Shift], by clock: PlaceClock) -> [String] {
        ["who,email,from,to"]
            + shifts.map { shift in
                [shift.who, shift.email?.address ?? "", clock.text(shift.from), clock.text(shift.to)]
                    .map(CSVRow.quoted).joined(separator: ",")
            }
    }
}
