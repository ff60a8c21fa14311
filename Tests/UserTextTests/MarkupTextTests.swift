import Testing
import UserText

@Suite("Text for HTML")
struct MarkupTextTests {
    @Test(
        "characters of markup are entities, also with a combining accent",
        arguments: [
            ("a < b > c & \"d\" 'e'", "a &lt; b &gt; c &amp; &quot;d&quot; &#x27;e&#x27;"),
            ("<\u{301}b>", "&lt;\u{301}b&gt;"), ("Küche 🏕️", "Küche 🏕️"), ("", ""),
        ])
    func escaped(text: String, expected: String) { #expect(MarkupText.escaped(text) == expected) }
}
