import FleetClient
import FleetProtocol
import Synchronization
import Testing

@Suite("Lists that never end")
struct EndlessListTests {
    enum List: CaseIterable {
        case accounts, labelledDevices, posts, comments, authors, roster, devices, commandQueues
    }

    /// A controller that answers each request with one more chunk, after which others follow.
    private final class Controller: ServiceClient {
        private let chunk: @Sendable (Int) -> any Sendable
        private let answered = Mutex(0)

        init(_ chunk: @escaping @Sendable (Int) -> any Sendable) { self.chunk = chunk }

        func request<Request: ServiceRequest>(_ request: Request) async throws(FleetError) -> Request.Reply {
            let number = answered.withLock { number in
                number += 1
                return number
            }
            guard number < 100_000, let reply = chunk(number) as? Request.Reply else {
                throw .noReply(waited: .zero)
            }
            return reply
        }
    }

    private static let at = WallTime(unixMilliseconds: 1_800_000_000_000)

    /// A chunk of a list, with a cursor that always advances.
    private static func chunks(of list: List) throws -> @Sendable (Int) -> any Sendable {
        let author = Author(number: AuthorNumber(1), email: try Samples.email())
        switch list {
        case .accounts:
            let row = AccountRow(account: try Samples.account(), users: 1, devices: 1, online: 1)
            return { _ in CellReply.accounts(AccountPage(accounts: [row], isLast: false)) }
        case .labelledDevices:
            let devices = [LabelledDevice](
                repeating: LabelledDevice(device: Samples.device, labels: []), count: 100)
            return { _ in LabelReply.list(devices, isLast: false) }
        case .posts:
            let post = Post(number: PostNumber(1), author: author, writtenAt: at, title: "Leak", body: "")
            let posts = [Post](repeating: post, count: 4)
            return { _ in LogbookReply.posts(PostChunk(posts: posts, total: 9, isLast: false)) }
        case .comments:
            let comment = FleetProtocol.Comment(
                number: CommentNumber(1), post: PostNumber(1), author: author, writtenAt: at, body: "")
            return { _ in LogbookReply.comments(CommentChunk(comments: [comment], isLast: false)) }
        case .authors: return { _ in LogbookReply.authors(AuthorChunk(authors: [author], isLast: false)) }
        case .roster:
            let shift = try Shift(who: "Kari", from: at, to: at.advanced(by: .seconds(60)))
            let roster = Roster(version: RosterVersion(1), shifts: 3, isEnforced: false)
            return { number in
                RosterReply.chunk(
                    RosterChunk(roster: roster, shifts: [shift], nextCursor: UInt32(number), isLast: false))
            }
        case .devices:
            let devices = [SiteDevices.Device](
                repeating: SiteDevices.Device(id: Samples.device, name: ""), count: 1_000)
            return { number in
                SiteReply.devices(SiteDevices(devices: devices, nextCursor: UInt32(number), isLast: false))
            }
        case .commandQueues:
            let plan = try QueuePlan(
                commands: [
                    QueueCommand(label: "a", device: Samples.device, kind: .toggle, takes: .seconds(1))
                ], onFailure: .stop)
            let report = QueueReport(
                id: Samples.requestID(), plan: plan, author: try Samples.email(), startedAt: at,
                state: .running, progress: [.waiting])
            let queues = [QueueSummary](repeating: report.summary, count: 4)
            return { _ in QueueReply.list(QueueList(queues: queues, isLast: false)) }
        }
    }

    private static func read(_ list: List, of client: Controller) async throws {
        switch list {
        case .accounts: _ = try await client.accounts()
        case .labelledDevices: _ = try await client.labelledDevices()
        case .posts: _ = try await client.posts(2)
        case .comments: _ = try await client.comments(on: PostNumber(1))
        case .authors: _ = try await client.authors()
        case .roster: _ = try await client.roster()
        case .devices:
            let site = SiteID(of: "Mill", in: try Samples.account())
            _ = try await client.devices(at: site)
        case .commandQueues: _ = try await client.commandQueues(2)
        }
    }

    @Test("a list with more entries than there can be is an unexpected reply", arguments: List.allCases)
    func bounded(list: List) async throws {
        let client = Controller(try Self.chunks(of: list))
        await #expect(throws: FleetError.unexpectedReply) {
            try await Self.read(list, of: client)
        }
    }

    @Test(
        "a chunk without progress is an unexpected reply",
        arguments: [
            (.posts, LogbookReply.posts(PostChunk(posts: [], total: 3, isLast: false))),
            (
                .roster,
                RosterReply.chunk(
                    RosterChunk(
                        roster: Roster(version: RosterVersion(1), shifts: 4, isEnforced: false), shifts: [],
                        nextCursor: 0, isLast: false))
            ),
            (.devices, SiteReply.devices(SiteDevices(devices: [], nextCursor: 0, isLast: false))),
        ] as [(List, any Sendable)])
    func stuck(list: List, chunk: any Sendable) async throws {
        let client = Controller { _ in chunk }
        await #expect(throws: FleetError.unexpectedReply) { try await Self.read(list, of: client) }
    }
}
