import FleetTime
import GatewayCore
import Testing

@Suite("Lines about requests")
struct RequestLogLinesTests {
    @Test(
        "a path is shown without its query, and without what could be a secret",
        arguments: [
            ("/api/v2/pods/VMe9BNPT/acStates", "/api/v2/pods/VMe9BNPT/acStates"),
            ("/api/v2/users/me/pods?apiKey=SECRET", "/api/v2/users/me/pods"),
            ("/api/v2/users/me/pods&apiKey=SECRET", "/api/v2/users/me/pods…"),
            ("/api/v2/users/me/pods%3FapiKey=SECRET", "/api/v2/users/me/pods…"),
            ("/api/v2/apiKey=SECRET", "/api/v2/apiKey…"),
            ("/a/" + String(repeating: "S", count: 64) + "/b", "/a/…/b"),
            ("/a b", "/a…"), ("/é", "/…"), ("*", "…"), ("", ""),
        ])
    func paths(target: String, shown: String) {
        #expect(RequestLogLines.path(target) == shown)
    }

    @Test("a long path is cut")
    func longPath() {
        let shown = RequestLogLines.path(String(repeating: "/ab", count: 5_000))
        #expect(shown.count == 201 && shown.hasSuffix("/ab/a…"))
    }

    @Test("each kind has a number of lines a second, and the other requests are counted")
    func bounded() {
        var lines = RequestLogLines()
        var now = MonotonicTime.zero
        func written(_ kind: RequestLogLines.Kind, of requests: Int) -> Int {
            (0..<requests).count { _ in lines.spend(kind, at: now) }
        }
        #expect(written(.change, of: 20_000) == 50)
        #expect(written(.refused, of: 60) == 50 && written(.affected, of: 1) == 1)
        let omitted = lines.takeOmitted()
        #expect(omitted.map(\.kind) == [.refused, .change] && omitted.map(\.count) == [10, 19_950])
        #expect(lines.takeOmitted().isEmpty)
        now = now.advanced(by: .seconds(1))
        #expect(written(.change, of: 51) == 50)
    }
}
