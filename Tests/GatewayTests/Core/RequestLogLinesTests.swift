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
}
