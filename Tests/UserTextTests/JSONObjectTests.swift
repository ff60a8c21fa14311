import Testing
import UserText

@Suite("JSON on one line")
struct JSONObjectTests {
    @Test("members of an object keep their order")
    func order() {
        let value: JSONObject = ["b": true, "a": [nil, -1] as [Int?], "empty": [:] as JSONObject]
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
        #expect(String(decoding: JSONWriter.bytes(of: text), as: UTF8.self) == expected)
    }

    @Test("a number that JSON cannot represent is null")
    func numbers() {
        #expect(
            (["numbers": [.nan, .infinity, 2] as [Double], "largest": UInt64.max] as JSONObject).line
                == #"{"numbers":[null,null,2.0],"largest":18446744073709551615}"#)
    }
}
