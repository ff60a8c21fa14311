import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Posts by the controller")
struct OwnPostTests {
    private let bench = Bench.withDevices()

    @Test("the controller posts that a node was lost, not that it was stale or left")
    func lost() throws {
        bench.pass(Limits.staleAfter)
        #expect(try bench.posts().posts.isEmpty)
        bench.pass(Limits.lease)
        let post = try #require(try bench.posts().posts.first)
        #expect(post.author == .controller)
        #expect(post.title == "Node node-1 is lost")
        #expect(post.body.contains("3 devices"))
        bench.send(.ping())
        bench.send(.leaving)
        bench.pass(.seconds(10))
        #expect(try bench.posts().posts.count == 1)
    }

    @Test("the controller posts that a request is undetermined, with its device")
    func undetermined() throws {
        let id = bench.toggle(0).id
        bench.change(0, incarnation: 0xdef)
        bench.publish(0)
        let post = try #require(try bench.posts().posts.first)
        #expect(post.subject == .device(Bench.device(0), name: "Room 1"))
        #expect(post.title.contains("Room 1"))
        #expect(post.body.contains("\(id)"))
        #expect(post.body.contains("demo@sensibus.local"))
        try bench.restart()
        #expect(try bench.posts().posts.map(\.title) == [post.title])
    }

    @Test("the post about a retired device's request names the device, and other posts stay")
    func retired() throws {
        bench.passWithPings(.seconds(2))
        let long = String(repeating: "long ", count: 1_000)
        for number in 0..<5 { try bench.write(try bench.draft("\(number)", body: long)) }
        bench.passWithPings(Limits.shortestPost + .seconds(1))
        bench.toggle(0)
        bench.ask(.retire([Bench.device(0)]))
        let orders = bench.sent().compactMap { if case .retire(let id, _) = $0 { id } else { nil } }
        bench.send(.done(try #require(orders.last), devices: 1))
        #expect(try bench.posts().posts.count == 6)
        #expect(try bench.posts().posts.first?.title == "A request for Room 1 is undetermined")
    }

    @Test("the controller posts nothing about an outcome that is known")
    func applied() throws {
        bench.toggle(0)
        bench.carryOutNewest()
        #expect(try bench.posts().posts.isEmpty)
        #expect(bench.recordChanges.isEmpty)
    }

    @Test("posts about a node that returns repeatedly are bounded, and a later post counts those left out")
    func often() throws {
        for _ in 0..<OwnPosts.burst + 5 {
            bench.pass(Limits.lease + .milliseconds(10))
            bench.send(.ping())
        }
        let written = try bench.posts().posts.count
        #expect(written < OwnPosts.burst + 5)
        bench.passWithPings(OwnPosts.interval)
        bench.pass(Limits.lease + .milliseconds(10))
        #expect(try bench.posts().posts.first?.body.contains("left out before this one") == true)
    }
}
