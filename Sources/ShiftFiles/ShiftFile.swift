package import FleetProtocol
import FleetTime
import UserText

/// Shifts in a file of comma-separated values (RFC 4180): a line each, below a heading with the columns
/// `who`, `from` and `to`, in any order, and optionally `email`.
///
/// Unclosed quotes, missing or surplus fields, and unusual line breaks are problems of their lines.
package struct ShiftFile: Equatable {
    /// The maximum size of a file in bytes; the largest roster needs less.
    package static let bytesAtMost = 8 << 20

    /// An invalid line.
    package struct Problem: Equatable, CustomStringConvertible {
        /// The line number, from 1.
        package let line: Int
        package let what: String

        package var description: String { "line \(line): \(what)" }
    }

    /// The error for an invalid file, with all its problems.
    package struct Unusable: Error, Equatable {
        package let problems: [Problem]
    }

    /// The shifts, in the order of the file.
    package private(set) var shifts: [Shift] = []
    /// Remarks for the user on how the file was read.
    package private(set) var notes: [String] = []

    /// Parses a file.
    ///
    /// - Parameter clock: The clock of the time zone of times without an offset.
    /// - Throws: ``Unusable``.
    package init(_ text: String, by clock: ZoneClock) throws(Unusable) {
        let lines = Self.lines(of: text)
        guard let (place, heading) = lines.first else {
            throw Unusable(problems: [Problem(line: 1, what: "no heading; begin with who,from,to")])
        }
        let row: CSVRow
        do throws(CSVRow.Problem) {
            row = try CSVRow(heading)
            let unknown = row.unknownColumns
            if !unknown.isEmpty { notes.append("ignored columns: \(unknown.joined(separator: ", "))") }
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
                    what: "a roster has \(Limits.accountShifts) shifts at most; remove the rest"))
        }
        guard problems.isEmpty else { throw Unusable(problems: problems) }
    }

    /// Returns the non-empty lines, each with its number from 1, without a byte order mark.
    private static func lines(of text: String) -> [(place: Int, text: String)] {
        let content = text.hasPrefix("\u{feff}") ? text.dropFirst() : text[...]
        return content.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
            .enumerated().map { ($0 + 1, String($1)) }.filter { !$0.1.allSatisfy(\.isWhitespace) }
    }

    private static func shift(
        _ fields: CSVRow.Fields, by clock: ZoneClock, note: (String) -> Void
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

    /// Returns the person's name and email: from the email column, as in `Kari <kari@example.com>`, or alone.
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
                what: "'\(SafeText.of(text))' is not an email address; write one, or only the name")
        }
        return email
    }

    private static func time(
        _ field: String, _ text: String, after beginning: WallTime?, by clock: ZoneClock,
        note: (String) -> Void
    ) throws(CSVRow.Problem) -> WallTime {
        do throws(ShiftTime.Problem) {
            return try ShiftTime(text).time(after: beginning, by: clock) { note("\(field): \($0)") }
        } catch {
            throw CSVRow.Problem(what: "\(field): \(error.what)")
        }
    }

    // MARK: Writing

    /// Returns the lines of a file from which the same shifts are parsed.
    package static func lines(of shifts: [Shift], by clock: ZoneClock) -> [String] {
        ["who,email,from,to"]
            + shifts.map { shift in
                [shift.who, shift.email?.address ?? "", clock.text(shift.from), clock.text(shift.to)]
                    .map(CSVRow.quoted).joined(separator: ",")
            }
    }
}
