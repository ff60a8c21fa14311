import Testing

@testable import ControllerCore

@Suite("Pages")
struct PagesTests {
    @Test("each value is found at its place, over many pages")
    func places() {
        var pages = Pages<Int>()
        let places = (0..<5_000).map { pages.insert($0) }
        #expect(Set(places).count == 5_000)
        #expect(places.map { pages[$0] } == Array(0..<5_000))
    }

    @Test("a freed place is used for the next value")
    func reuse() {
        var pages = Pages<String>()
        let places = ["one", "two", "three"].map { pages.insert($0) }
        pages.remove(at: places[1])
        #expect(pages.insert("four") == places[1])
        #expect(places.map { pages[$0] } == ["one", "four", "three"])
    }
}
