import FleetProtocol
import Foundation
import Testing
import UserText

@testable import GatewayCore

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
        try expect(
            written,
            has: """
                {"userId": 3, "id": 7, "title": "<b>", "body": "x", "device": "\(device)", "commentCount": 2}
                """)
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
        try expect(controller, has: #"{"name": "controller", "email": null}"#)
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

@Suite("Sites over HTTP")
struct SiteTests {
    private static let revision = SitesRevision(epoch: Epoch(1), changes: 1)

    private let account: AccountID

    init() throws {
        account = try #require(AccountID("demo"))
    }

    private func site(_ profile: SiteProfile, version: UInt64 = 1, once name: String? = nil) -> Site {
        Site(
            id: SiteID(of: name ?? profile.name, in: account), version: SiteVersion(version),
            profile: profile)
    }

    private func location(_ reported: String, _ register: SiteRegister) throws -> [String: Any] {
        let pod = try Sample.pod(site: reported)
        let answer = APIResponse.pod(
            pod, of: account, at: register, fields: PodFields(query: "location"), now: Sample.present)
        let document = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let result = try #require(document?["result"] as? [String: Any])
        return try #require(result["location"] as? [String: Any])
    }

    @Test("a pod's location has its site's profile, except the description")
    func described() throws {
        let oslo = site(
            try SiteProfile(
                name: "Mill", description: "<b>secret</b>",
                coordinates: Coordinates(latitude: 59.9139, longitude: -10.5), address: ["Gate 3", "B"],
                city: "Oslo", country: CountryCode("NO"), timeZone: TimeZoneName("Europe/Oslo")))
        let shown = try location("mill", SiteRegister([oslo], [], revision: Self.revision))
        try expect(
            shown,
            has: """
                {"id": "\(oslo.id)", "name": "Mill", "latLon": [59.9139, -10.5], "address": ["Gate 3", "B"],
                 "city": "Oslo", "country": "Norway", "countryAlpha2": "NO", "timezone": "Europe/Oslo"}
                """)
        #expect(["me", "someone", "empty"].contains(shown["occupancy"] as? String))
    }

    @Test("a site without a profile has the name that nodes report, and the same ID later")
    func undescribed() throws {
        let before = try location("Mill", SiteRegister())
        try expect(before, has: #"{"name": "Mill", "latLon": [0, 0], "country": null}"#)
        let renamed = site(try SiteProfile(name: "Villa"), once: "Mill")
        let after = try location("Mill", SiteRegister([renamed], [], revision: Self.revision))
        #expect(after["id"] as? String == before["id"] as? String)
        #expect(after["name"] as? String == "Villa")
        let undescribed = site(try SiteProfile(name: "Mill"), version: 0)
        let passedOver = SiteRegister([undescribed], [], revision: Self.revision)
        #expect(passedOver.place(of: Sample.device, reported: "Mill", in: account).profile == nil)
    }

    @Test("a site has its assigned pods, whatever their nodes report")
    func assigned() throws {
        let (mill, attic) = (site(try SiteProfile(name: "Mill")), site(try SiteProfile(name: "Attic")))
        let register = SiteRegister(
            [mill, attic], [SiteAssignment(device: Sample.device, site: attic.id)], revision: Self.revision)
        #expect(try location("Mill", register)["name"] as? String == "Attic")
        #expect(PageSites(register, of: account).name(of: Sample.device, reported: "Mill") == "Attic")
        let other = DeviceID(fleetSeed: 9, index: 9)
        #expect(PageSites(register, of: account).name(of: other, reported: "Mill") == "Mill")
        #expect(PageSites().name(of: Sample.device, reported: "Mill") == "Mill")
    }

    @Test("a hostile site name or address stays within its text")
    func hostile() throws {
        let text = "\"},{\"id\":\"x\u{202e}</script>\\"
        let register = SiteRegister(
            [site(try SiteProfile(name: text, address: [text]))], [], revision: Self.revision)
        let shown = try location(text, register)
        #expect(shown["name"] as? String == text)
        #expect(shown["address"] as? [String] == [text])
    }

    @Test("sites are returned page by page, fifty by default")
    func pages() throws {
        #expect(try SitesPage(FormFields("")).size == 50)
        #expect(try SitesPage(FormFields("")).page == 1)
        let wanted = try SitesPage(FormFields("page=3&pageSize=20"))
        #expect((wanted.page, wanted.size) == (3, 20))
    }

    @Test("site pages are numbered from 0 if the client does so")
    func firstPage() throws {
        #expect(try SitesPage(FormFields(""), firstPage: 0).page == 1)
        let wanted = try SitesPage(FormFields("page=2&pageSize=10"), firstPage: 0)
        #expect((wanted.page, wanted.size) == (3, 10))
        let list = SitesResponse.list(SitePage(sites: [], total: 7, revision: Self.revision), wanted)
        #expect(list.line.contains(#""page":2"#))
        #expect(throws: APIError.self) { try SitesPage(FormFields("page=-1"), firstPage: 0) }
    }

    @Test(
        "an invalid page of sites is refused",
        arguments: ["page=0", "page=x", "page=-1", "page=", "pageSize=0", "pageSize=101", "page=1e3"])
    func noPage(query: String) {
        #expect(throws: APIError.self) { try SitesPage(FormFields(query)) }
    }

    @Test("sites on the page have their profile, and descriptions unchanged")
    func reported() throws {
        let html = "<p onclick=alert(1)>At the gate</p>"
        let profile = try SiteProfile(name: "Mill", description: html)
        let report = SiteReport(site: site(profile), devices: 501, isDescribed: true)
        let devices = (0..<501).map {
            SiteDevices.Device(id: DeviceID(fleetSeed: 1, index: UInt64($0)), name: "Room")
        }
        let answer = SitesResponse.site(report, devices)
        let document =
            try JSONSerialization.jsonObject(with: Data(answer.line.utf8)) as? [String: Any]
        let shown = try #require(document?["site"] as? [String: Any])
        #expect(shown["description"] as? String == html)
        try expect(shown, has: #"{"latitude": null, "devices": 501}"#)
        #expect((document?["devices"] as? [Any])?.count == SitesResponse.devicesAtMost)
        let list = SitesResponse.list(
            SitePage(sites: [report], total: 7, revision: Self.revision),
            try SitesPage(FormFields("page=2&pageSize=1")))
        let listed = try JSONSerialization.jsonObject(with: Data(list.line.utf8)) as? [String: Any]
        try expect(listed, has: #"{"total": 7, "page": 2, "pageSize": 1}"#)
    }
}

@Suite("The roster over HTTP")
struct RosterTests {
    private let now = WallTime(unixMilliseconds: 1_800_000_000_000)

    private func shift(_ who: String, _ from: Int64, _ to: Int64) throws -> Shift {
        try Shift(
            who: who, email: Email(who), from: now.advanced(by: .seconds(from)),
            to: now.advanced(by: .seconds(to)))
    }

    @Test("the roster's JSON has the heading, who is on duty, the next change, and the shifts")
    func answer() throws {
        let heading = try RosterHeading(name: "Hotel", message: "Mind the \"step\".\n")
        let roster = Roster(
            version: RosterVersion(3), heading: heading, timeZone: try #require(TimeZoneName("Europe/Oslo")),
            shifts: 7, isEnforced: true)
        let plan = ShiftPlan([try shift("kari@example.com", -60, 60)])
        #expect(
            RosterResponse.json(roster, plan, at: now).line
                == #"{"version":3,"name":"Hotel","message":"Mind the \"step\".\n","timeZone":"Europe/Oslo","#
                + #""shiftCount":7,"isEnforced":true,"atMs":1800000000000,"#
                + #""onDuty":[{"who":"kari@example.com","email":"kari@example.com","fromMs":1799999940000,"#
                + #""toMs":1800000060000}],"nextChangeMs":1800000060000,"#
                + #""shifts":[{"who":"kari@example.com","email":"kari@example.com","fromMs":1799999940000,"#
                + #""toMs":1800000060000}]}"#)
    }

    @Test("an empty roster has empty lists and null")
    func empty() {
        let json = RosterResponse.json(
            Roster(version: .zero, shifts: 0, isEnforced: false), ShiftPlan(), at: now
        ).line
        #expect(json.contains(#""onDuty":[],"nextChangeMs":null,"shifts":[]"#))
    }

    @Test("the roster has 31 days by default, or the number in the query")
    func window() throws {
        #expect(try RosterWindow(FormFields("")).end(from: now) == now.advanced(by: .seconds(31 * 86_400)))
        #expect(try RosterWindow(FormFields("days=366")).days == 366)
        for query in ["days=0", "days=-1", "days=3661", "days=1e3", "days=", "days=%C2%B2"] {
            #expect(throws: APIError.self, "\(query)") { try RosterWindow(FormFields(query)) }
        }
    }

    @Test(
        "the refusal of an off-duty user has Sensibo's status 403 and the reason", arguments: OffDuty.allCases
    )
    func offDuty(reason: OffDuty) throws {
        let error = try #require(APIError(.offDuty(reason), to: .nothing))
        #expect(error.status == 403)
        #expect(error.message.contains("(offDuty)"))
    }
}
