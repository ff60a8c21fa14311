import Testing

@testable import ObserverCore

@Suite("the order of names")
struct NaturalOrderTests {
    @Test(
        "names come in the order that people expect",
        arguments: [
            ("Bedroom 2", "Bedroom 10"), ("bedroom 2", "Bedroom 3"), ("Attic", "bath"), ("Room", "Room 1"),
            ("a9b", "a10a"),
        ])
    func natural(first: String, second: String) {
        #expect(NaturalOrder.precedes(first, second))
        #expect(!NaturalOrder.precedes(second, first))
        #expect(!NaturalOrder.precedes(first, first))
    }
}
