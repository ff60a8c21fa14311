import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Tables that services had in former stores")
struct FormerServicesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/controller.sqlite" }

    init() throws {
        directory = try TemporaryDirectory()
        try change("PRAGMA journal_mode = WAL")
        for name in ["former-store", "former-services"] { try change(try Database.script(name)) }
    }

    private func change(_ script: String) throws { try Database.execute(script, at: path) }

    private func time(_ milliseconds: Int64) -> WallTime {
        WallTime(unixMilliseconds: 1_795_896_318_000 + milliseconds)
    }

    private func id(_ text: String) throws -> RequestID { try #require(RequestID(text)) }

    private func logbook() throws -> [LogbookRecord] {
        let eve = Author(number: AuthorNumber(2), email: .eve)
        let ann = Author(number: AuthorNumber(3), email: .ann)
        let device = PostSubject.device(DeviceID(constant: "VMe9BNPT"), name: "")
        let marks = LogbookMarks(
            lastPost: PostNumber(12), lastComment: CommentNumber(7), lastAuthor: AuthorNumber(3),
            horizon: time(0))
        let lost = Post(
            number: PostNumber(10), author: .controller, writtenAt: time(1), title: "Node node-1 is lost",
            body: "")
        let undetermined = Post(
            number: PostNumber(11), author: .controller, writtenAt: time(2),
            title: "A request is undetermined", body: "body", subject: device)
        let painters = Post(
            number: PostNumber(12), author: eve, writtenAt: time(3), title: "Painters", body: "in",
            subject: .site("Mühle"), editedAt: time(4))
        let yes = FleetProtocol.Comment(
            number: CommentNumber(6), post: PostNumber(12), author: ann, writtenAt: time(5), body: "Yes")
        let no = FleetProtocol.Comment(
            number: CommentNumber(7), post: PostNumber(10), author: eve, writtenAt: time(6), body: "No")
        return [
            .marks(marks), .post(lost, requestID: nil), .post(undetermined, requestID: nil),
            .post(painters, requestID: try id("01a223c3-1ae5-7b36-9c48-7c8bf0407500")),
            .comment(yes, requestID: try id("01a223c3-1b48-7e5b-9156-a5ea87353c00")),
            .comment(no, requestID: try id("01a223c3-1b48-7e5b-9156-a5ea87353c01")),
        ]
    }

    private func sites() throws -> [SiteRecord] {
        let id = try #require(SiteID("ABCDEFGHIJ"))
        let profile = try SiteProfile(
            name: "Quay", description: "<p>Gate 3</p>",
            coordinates: Coordinates(latitudeMicrodegrees: -33_800_000, longitudeMicrodegrees: 151_200_000),
            address: ["Gate 3", "Pier O'Hara"], city: "Sydney", country: CountryCode("AU"),
            timeZone: TimeZoneName("Australia/Sydney"))
        return [
            .removed(upTo: SiteVersion(9)), .site(Site(id: id, version: SiteVersion(4), profile: profile)),
            .device(DeviceID(constant: "4RbAAAAA"), at: id),
        ]
    }

    private func roster() throws -> [RosterRecord] {
        [
            .shift(try Shift(who: "The night watch", from: time(8), to: time(9)), place: 0),
            .roster(
                RosterVersion(3), try RosterHeading(name: "Hotel", message: "Tuesday"),
                timeZone: try #require(TimeZoneName("Europe/Oslo")), lastImport: nil),
        ]
    }

    @Test("the rows of a store of the last version become records that the services can read")
    func converted() throws {
        let store = try Store(path: path, durability: .process)
        let records = try store.serviceRecords()
        #expect(Controller.damagedService(in: records) == nil)
        func expected(_ contents: [some RecordContent]) -> [ServiceRecord] {
            contents.map { ServiceRecord($0, of: .other) }
        }
        #expect(
            records.filter { $0.account == .other }
                == expected([QueueRecord.removed(upTo: time(7))]) + expected(try logbook())
                + expected(try roster()) + expected(try sites()))
        #expect(records.count { $0.account != .other } == 3 + 1 + 15 + 1 + 3)
        try store.close()
        let again = try Store(path: path, durability: .process)
        #expect(try again.serviceRecords() == records)
    }

    @Test(
        "a row that has no meaning stops the conversion, which leaves the former tables as they were",
        arguments: [
            "UPDATE posts SET requestID = 'x' WHERE number = 12", "UPDATE comments SET email = ''",
            "UPDATE sites SET longitudeMicrodegrees = NULL",
            "UPDATE siteDevices SET device = 'x' WHERE account = 'other'",
            "UPDATE removedSites SET newestVersion = -1", "UPDATE sequences SET record = x'02'",
            "UPDATE shifts SET toMs = fromMs", "UPDATE rosters SET lastImport = 'x'",
        ])
    func stopped(damage: String) throws {
        let table = String(damage.split(separator: " ")[1])
        try change(damage)
        #expect(throws: StorageError.damaged(path: path, what: "a row of table \(table)")) {
            try Store(path: path, durability: .process)
        }
        let db = try Database(path: path)
        #expect(try db.prepare("SELECT count(*) FROM serviceRecords").value(Int.self) == 1)
        #expect(try db.prepare("SELECT count(*) FROM posts").value(Int.self) == 4)
        #expect(try db.prepare("SELECT count(*) FROM shifts").value(Int.self) == 15)
    }
}
