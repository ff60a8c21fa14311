import Testing
import UserText

@Suite("JSON on one line")
struct JSONValueTests {
    @Test("members of an object keep their order")
    func order() {
        let value: JSONValue = ["b": .bool(true), "a": .array([.null, .integer(-1)]), "empty": .object([])]
        #expect(value.line == #"{"b":true,"a":[null,-1],"empty":{}}"#)
    }

    @Test(
        "strings are escaped, so that JSON is one line without control characters",
        arguments: [
            ("a\"b\\c", #""a\"b\\c""#), ("a\nb\tc", #""a\nb\tc""#), ("\u{1b}[2J", #""\u001b[2J""#),
            ("\u{202e}x", #""\u202ex""#), ("\u{9b}", #""\u009b""#), ("zażółć ☃ 👩‍🔧", #""zażółć ☃ 👩\u200d🔧""#),
            ("\u{e0001}", #""\udb40\udc01""#),
        ])
    func escaping(text: String, expected: String) {
        #expect(JSONValue.string(text).line == expected)
    }

    @Test("a number that JSON cannot represent is null")
    func numbers() {
        #expect(
            JSONValue.array([.number(.nan), .number(.infinity), .number(2), .unsigned(.max)]).line
                == "[null,null,2.0,18446744073709551615]")
    }
}
