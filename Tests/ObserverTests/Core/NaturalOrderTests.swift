import Testing
import UserText

@Suite("Natural order of names")
struct NaturalOrderTests {
    @Test(
        "names are ordered by their numbers' values, ignoring case",
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
