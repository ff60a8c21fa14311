package import FleetProtocol
package import UserText

/// Shifts in a file of comma-separated values (RFC 4180): a record each, below a heading with the columns
/// `who`, `from` and `to`, in any order, and optionally `email`. Unclosed quotes, missing or surplus fields,
/// and line breaks in these columns are problems of their lines.
package struct ShiftFile: Equatable {
    /// The maximum size of a file in bytes; the largest roster needs less.
    package static let bytesAtMost = 8 << 20

    package struct Problem: Equatable, CustomStringConvertible {
        /// The line number, from 1.
        package let line: Int
        package let what: String

        package var description: String { "line \(line): \(what)" }
    }

    package struct Unusable: Error, Equatable {
        package let problems: [Problem]
    }

    /// The shifts, in the order of the file.
    package private(set) var shifts: [Shift] = []
    /// Remarks for the user on how the file was read.
    package private(set) var notes: [String] = []

    /// Parses a file; the clock is that of times without an offset.
    package init(_ bytes: [UInt8], by clock: ZoneClock) throws(Unusable) {
        guard let text = WrittenText.text(of: bytes) else {
            throw Self.unusable(1, "it is not UTF-8; save the file as comma-separated values in UTF-8")
        }
        var records = CSVRecords(of: text)
        guard let first = records.next() else { throw Self.unusable(1, "no heading; begin with who,from,to") }
        let heading: CSVHeading
        do throws(CSVRecord.Problem) {
            heading = try CSVHeading(try first.fields.get())
            let unknown = heading.unknownColumns
            if !unknown.isEmpty { notes.append("ignored columns: \(unknown.joined(separator: ", "))") }
        } catch {
            throw Self.unusable(first.line, error.what)
        }
        var problems: [Problem] = []
        var firstSurplus: Int?
        while let record = records.next() {
            do throws(CSVRecord.Problem) {
                var read: [String] = []
                let fields = try heading.fields(of: try record.fields.get())
                shifts.append(try Self.shift(fields, by: clock) { read.append($0) })
                if shifts.count > Limits.accountShifts { firstSurplus = firstSurplus ?? record.line }
                notes += read.map { "line \(record.line): \($0)" }
            } catch {
                problems.append(Problem(line: record.line, what: error.what))
            }
        }
        if problems.isEmpty, let firstSurplus {
            throw Self.unusable(
                firstSurplus, "a roster has \(Limits.accountShifts) shifts at most; remove the rest")
        }
        guard problems.isEmpty else { throw Unusable(problems: problems) }
    }

    private static func unusable(_ line: Int, _ what: String) -> Unusable {
        Unusable(problems: [Problem(line: line, what: what)])
    }

    private static func shift(
        _ fields: CSVHeading.Fields, by clock: ZoneClock, note: (String) -> Void
    ) throws(CSVRecord.Problem) -> Shift {
        let (who, email) = try person(fields)
        let from = try time("from", fields.from, after: nil, by: clock, note: note)
        let to = try time("to", fields.to, after: from, by: clock, note: note)
        do throws(ShiftError) {
            return try Shift(who: who, email: email, from: from, to: to)
        } catch {
            throw CSVRecord.Problem(what: error.description)
        }
    }

    /// Returns the person's name and email: from the email column, as in `Kari <kari@example.com>`, or alone.
    private static func person(_ fields: CSVHeading.Fields) throws(CSVRecord.Problem) -> (String, Email?) {
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

    private static func address(_ text: String) throws(CSVRecord.Problem) -> Email {
        guard let email = Email(text) else {
            throw CSVRecord.Problem(
                what: "'\(SafeText.of(text))' is not an email address; write one, or only the name")
        }
        return email
    }

    private static func time(
        _ field: String, _ text: String, after beginning: WallTime?, by clock: ZoneClock,
        note: (String) -> Void
    ) throws(CSVRecord.Problem) -> WallTime {
        do throws(ShiftTime.Problem) {
            return try ShiftTime(text).time(after: beginning, by: clock) { note("\(field): \($0)") }
        } catch {
            throw CSVRecord.Problem(what: "\(field): \(error.what)")
        }
    }

    /// Returns the lines of a file from which the same shifts are parsed, unless it is one for spreadsheets.
    package static func lines(
        of shifts: [Shift], by clock: ZoneClock, _ csv: CSVText = CSVText()
    ) -> [String] {
        ["who,email,from,to"]
            + shifts.map { shift in
                csv.record(
                    [shift.who, shift.email?.address ?? "", clock.text(shift.from), clock.text(shift.to)])
            }
    }
}
