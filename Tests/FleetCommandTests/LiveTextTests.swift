import Synchronization
import Testing

@testable import fleet

/// The rows of a terminal that understands what live lines use.
private struct Rows {
    let columns: Int
    private(set) var rows: [[Character]] = [[]]
    private var (row, column) = (0, 0)

    init(columns: Int) { self.columns = columns }

    /// The rows as texts, without trailing blanks and empty rows.
    var texts: [String] {
        var texts = rows.map { String($0.reversed().drop { $0 == " " }.reversed()) }
        while texts.last == "" { texts.removeLast() }
        return texts
    }

    mutating func write(_ text: String) {
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\r": column = 0
            case "\n": (row, column) = (row + 1, 0)
            case "\u{1b}": control(&rest)
            default: put(character)
            }
            while rows.count <= row { rows.append([]) }
        }
    }

    private mutating func control(_ rest: inout Substring) {
        rest.removeFirst()
        let number = Int(rest.prefix(while: \.isNumber)) ?? 0
        rest = rest.drop(while: \.isNumber)
        switch rest.popFirst() {
        case "A": row = max(0, row - number)
        case "K": rows[row] = Array(rows[row].prefix(column))
        case "J":
            rows[row] = Array(rows[row].prefix(column))
            rows.removeSubrange((row + 1)...)
        default: Issue.record("another control sequence")
        }
    }

    private mutating func put(_ character: Character) {
        if column == columns { (row, column) = (row + 1, 0) }
        while rows.count <= row { rows.append([]) }
        while rows[row].count <= column { rows[row].append(" ") }
        rows[row][column] = character
        column += 1
    }
}

@Suite("Live lines at a terminal")
struct LiveTextTests {
    @Test("a text replaces the one before, also if it has fewer or shorter lines, and nil removes it")
    func replaced() {
        var (text, rows) = (LiveText(), Rows(columns: 20))
        rows.write("before\n")
        for (new, expected) in [
            ("one\ntwo\nthree", ["one", "two", "three"]), ("1\n2\n3\n4", ["1", "2", "3", "4"]),
            ("longer\nline", ["longer", "line"]), ("x", ["x"]), (nil, []), (nil, []), ("y", ["y"]),
        ] as [(String?, [String])] {
            rows.write(text.output(replacingWith: new, columns: 20))
            #expect(rows.texts == ["before"] + expected)
        }
        #expect(LiveText().outputs(aroundOthersIn: 20).before.isEmpty)
    }

    @Test("lines that a narrower terminal wraps are replaced whole")
    func wrapped() {
        var (text, rows) = (LiveText(), Rows(columns: 4))
        rows.write(text.output(replacingWith: "abcdefgh\nxyz12", columns: 4))
        #expect(rows.texts == ["abcd", "efgh", "xyz1", "2"])
        rows.write(text.output(replacingWith: "new", columns: 4))
        #expect(rows.texts == ["new"])
    }

    @Test("other lines appear above the live ones")
    func above() {
        let rows = Mutex(Rows(columns: 20))
        let output = LiveOutput(columns: { 20 }, write: { text in rows.withLock { $0.write(text) } })
        func say(_ line: String) { output.writeAbove { rows.withLock { $0.write(line + "\n") } } }
        say("first")
        output.show("one\ntwo")
        say("second")
        #expect(rows.withLock(\.texts) == ["first", "second", "one", "two"])
        output.show("three")
        say("third")
        output.show(nil)
        say("fourth")
        #expect(rows.withLock(\.texts) == ["first", "second", "third", "fourth"])
    }
}
