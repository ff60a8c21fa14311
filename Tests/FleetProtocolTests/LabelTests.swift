import Testing

@testable import FleetProtocol

@Suite("A label")
struct LabelTests {
    @Test(
        "a text of 1 to 32 letters, digits, dots, underscores and hyphens is a label in lower case",
        arguments: [("kitchen", "kitchen"), ("Floor-2", "floor-2"), ("a.b_c", "a.b_c"), ("7", "7")])
    func allowed(text: String, label: String) {
        #expect(Label(text)?.text == label)
    }

    @Test(
        "an empty text, one longer than 32 bytes, or one with other characters is refused",
        arguments: ["", String(repeating: "a", count: 33), "two words", "kjøkken", "a=b", "a,b", "\u{1b}[2J"])
    func refused(text: String) {
        #expect(Label(text) == nil)
    }
}
