import Testing
import UserText

@Suite("Comma-separated values")
struct CSVTextTests {
    @Test("a record has quotes around fields with commas, quotes and line breaks")
    func quoted() {
        #expect(CSVText().record(["a", "b,c", "\"", "d\ne", "=1+1"]) == "a,\"b,c\",\"\"\"\",\"d\ne\",=1+1")
    }

    @Test(
        "in a record for spreadsheets an apostrophe precedes formulas, and signed numbers stay numbers",
        arguments: [
            ("=1+1", "'=1+1"), ("+cmd", "'+cmd"), ("-2+3", "'-2+3"), ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"), ("=a,b", "\"'=a,b\""), ("-62", "-62"), ("+2.5", "+2.5"), ("-", "-"), ("", ""),
            ("Bedroom = 1", "Bedroom = 1"), ("'=1", "'=1"), ("-nan", "'-nan"),
        ])
    func safe(field: String, expected: String) {
        #expect(CSVText(isSafe: true).record([field]) == expected)
    }
}
