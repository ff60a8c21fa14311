import GatewayCore
import Testing

@Suite("Places of listeners")
struct ListenerPlacesTests {
    @Test("the newest listener of a session replaces its oldest, and none of other sessions")
    func session() {
        var places = ListenerSlots<String>(perSession: 2, atMost: 10)
        let other = places.add("other")
        let (first, second) = (places.add("greedy"), places.add("greedy"))
        #expect([other, first, second].allSatisfy { $0.leaving == nil })
        let third = places.add("greedy")
        #expect(third.leaving == first.id)
        places.remove(second.id)
        #expect(places.add("greedy").leaving == nil)
        #expect(places.add("greedy").leaving == third.id)
        #expect(places.count == 3)
    }

    @Test("in a full table, the oldest listener of the session with the most is replaced")
    func account() {
        var places = ListenerSlots<String>(perSession: 3, atMost: 4)
        let honest = places.add("honest")
        let greedy = (0..<3).map { _ in places.add("greedy") }
        #expect(places.add("late").leaving == greedy[0].id)
        #expect(places.add("later").leaving == greedy[1].id)
        #expect(places.add("latest").leaving == honest.id, "each session has one, and it came first")
        #expect(places.count == 4)
    }
}
