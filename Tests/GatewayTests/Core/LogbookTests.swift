import FleetProtocol
import Foundation
import GatewayCore
import Testing

@Suite("The logbook over HTTP")
struct LogbookTests {
    private static let fresh = RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 1 << 63)

    private func reader(_ body: String) throws -> LogbookReader {
        try LogbookReader(Array(body.utf8), newID: Self.fresh)
    }

    private func object(_ answer: APIResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    private func author() throws -> Author {
        Author(number: AuthorNumber(3), email: try #require(Email("ann@example.com")))
    }

    @Test(
        "logbook paths are those of jsonplaceholder, with and without a slash at the end",
        arguments: [
            ("/posts", .posts), ("/posts/", .posts), ("/posts/7", .post(PostNumber(7))),
            ("/posts/7/comments", .comments(on: PostNumber(7))), ("/comments", .anyComments),
            ("/users", .users), ("/users/0", .user(.zero)), ("/users/3/", .user(AuthorNumber(3))),
        ] as [(String, LogbookRoute)])
    func routes(path: String, route: LogbookRoute) {
        #expect(LogbookRoute(path: path) == route)
    }

    @Test(
        "other logbook paths have no route",
        arguments: [
            "/", "/post", "/posts/x", "/posts/-1", "/posts/1/2", "/posts/1/comments/2", "/comments/1",
            "/users/1/posts", "/posts/99999999999999999999", "/posts/+1",
        ])
    func noRoute(path: String) {
        #expect(LogbookRoute(path: path) == nil)
    }

    @Test("logbook pages are those of json-server")
    func pages() throws {
        func page(_ query: String) throws -> LogbookPage { try LogbookPage(FormFields(query)) }
        #expect(try page("").limit == 100)
        #expect(try page("").skip == 0)
        #expect(try page("_page=3&_limit=20").skip == 40)
        #expect(try page("userId=0").author == .zero)
        for query in ["_limit=0", "_limit=501", "_page=0", "_page=x", "userId=-1"] {
            #expect(throws: APIError.self, "\(query)") { try page(query) }
        }
        #expect(try LogbookPage.post(FormFields("postId=7")) == PostNumber(7))
        #expect(throws: APIError.self) { try LogbookPage.post(FormFields("")) }
    }

    @Test("posts and comments have jsonplaceholder's fields, and more")
    func fields() throws {
        let device = DeviceID(fleetSeed: 1, index: 0)
        let post = Post(
            number: PostNumber(7), author: try author(), writtenAt: WallTime(unixMilliseconds: 5),
            title: "<b>", body: "x", subject: .device(device, name: "Hall"), comments: 2)
        let written = try object(.post(post))
        #expect(written["userId"] as? Int == 3)
        #expect(written["id"] as? Int == 7)
        #expect(written["title"] as? String == "<b>")
        #expect(written["body"] as? String == "x")
        #expect(written["device"] as? String == device.description)
        #expect(written["commentCount"] as? Int == 2)
        let comment = FleetProtocol.Comment(
            number: CommentNumber(4), post: PostNumber(7), author: try author(),
            writtenAt: WallTime(unixMilliseconds: 5), body: "me too")
        let answer = APIResponse.written(comment)
        #expect(answer.status == 201)
        let added = try object(answer)
        #expect(added["postId"] as? Int == 7)
        #expect(added["id"] as? Int == 4)
        #expect(added["name"] as? String == "ann@example.com")
        #expect(added["email"] as? String == "ann@example.com")
        #expect(added["body"] as? String == "me too")
        #expect(APIResponse.posts([post], total: 12).total == 12)
    }

    @Test("each author is a user, and so is the controller")
    func users() throws {
        let controller = try object(.user(.zero, among: []))
        #expect(controller["name"] as? String == "controller")
        #expect(controller["email"] is NSNull)
        let ann = try object(.user(AuthorNumber(3), among: [try author()]))
        #expect(ann["email"] as? String == "ann@example.com")
        #expect(throws: APIError.noSuchUser) { try APIResponse.user(AuthorNumber(9), among: []) }
    }

    @Test("a post's body is parsed, and its author is the sender")
    func post() throws {
        let draft = try reader(#"{"userId":9,"id":5,"title":"Leak","body":"in the hall","site":"Home"}"#)
            .post()
        #expect(draft.title == "Leak")
        #expect(draft.body == "in the hall")
        #expect(draft.subject == .site("Home"))
        #expect(draft.requestID == Self.fresh)
        let id = "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07"
        let named = try reader(#"{"title":"Leak","requestId":"\#(id)","device":"m7SWtqMj","site":null}"#)
            .post()
        #expect(named.requestID.description == id)
        #expect(named.body == "")
    }

    @Test(
        "an invalid post is refused",
        arguments: [
            "", "[]", "{}", #"{"title":5}"#, #"{"title":" "}"#, #"{"title":"a","body":5}"#,
            #"{"title":"a\nb"}"#, #"{"title":"a","device":"x"}"#, #"{"title":"a","requestId":"x"}"#,
            #"{"title":"a","device":"m7SWtqMj","site":"y"}"#,
        ])
    func noPost(body: String) {
        #expect(throws: APIError.self) { try reader(body).post() }
    }

    @Test("a comment's post is that of the path, or of the body")
    func comment() throws {
        #expect(try reader(#"{"body":"x"}"#).comment(on: PostNumber(7)).post == PostNumber(7))
        #expect(try reader(#"{"postId":8,"name":"n","body":"x"}"#).comment(on: nil).post == PostNumber(8))
        for body in [#"{"body":"x"}"#, #"{"postId":-1,"body":"x"}"#, #"{"postId":1.5,"body":"x"}"#] {
            #expect(throws: APIError.self, "\(body)") { try reader(body).comment(on: nil) }
        }
        #expect(throws: APIError.self) { try reader(#"{"body":""}"#).comment(on: PostNumber(7)) }
    }

    @Test("a post of the page needs a request ID")
    func ids() throws {
        let reader = try LogbookReader(Array(#"{"title":"a"}"#.utf8), newID: nil)
        #expect(throws: APIError.self) { try reader.post() }
    }
}
