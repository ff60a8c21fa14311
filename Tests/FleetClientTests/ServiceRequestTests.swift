import FleetProtocol
import Synchronization
import TestSupport
import Testing

@testable import FleetClient

/// A controller whose service gets the requests of a script, in their order, and gives its replies.
private final class ScriptedService<Request: ServiceRequest & Equatable>: ServiceClient {
    private let script: Mutex<[(request: Request, reply: Request.Reply)]>

    init(_ script: [(Request, Request.Reply)]) { self.script = Mutex(script) }

    /// Whether all requests of the script were sent.
    var isDone: Bool { script.withLock(\.isEmpty) }

    func request<Other: ServiceRequest>(_ request: Other) async throws(FleetError) -> Other.Reply {
        let next = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        #expect(request as? Request == next?.request)
        guard let reply = next?.reply as? Other.Reply else { throw .noReply(waited: .zero) }
        return reply
    }
}

private let at = WallTime(unixMilliseconds: 1_800_000_000_000)

@Suite("Roster requests")
struct RosterRequestTests {
    private func shifts(_ range: Range<Int>, who: String = "Kari") throws -> [Shift] {
        try range.map { index in
            let from = at.advanced(by: .seconds(3_600 * index))
            return try Shift(who: who, from: from, to: from.advanced(by: .seconds(3_600)))
        }
    }

    private func roster(version: UInt64) -> Roster {
        Roster(version: RosterVersion(version), shifts: 4, isEnforced: false)
    }

    private func chunk(version: UInt64, _ shifts: [Shift], next: UInt32, isLast: Bool) -> RosterReply {
        .chunk(
            RosterChunk(roster: roster(version: version), shifts: shifts, nextCursor: next, isLast: isLast))
    }

    @Test("the roster is read chunk by chunk, and again if it changes in between")
    func read() async throws {
        let (old, new) = (try shifts(0..<2), try shifts(4..<8))
        let client = ScriptedService<RosterRequest>([
            (.read(RosterPull(from: at, cursor: 0)), chunk(version: 1, old, next: 2, isLast: false)),
            (.read(RosterPull(from: at, cursor: 2)), chunk(version: 2, old, next: 4, isLast: true)),
            (
                .read(RosterPull(from: at, cursor: 0)),
                chunk(version: 2, Array(new[..<2]), next: 2, isLast: false)
            ),
            (
                .read(RosterPull(from: at, cursor: 2)),
                chunk(version: 2, Array(new[2...]), next: 4, isLast: true)
            ),
        ])
        let (roster, plan) = try await client.roster(from: at)
        #expect(roster.version == RosterVersion(2) && plan.shifts == new)
        #expect(client.isDone)
    }

    @Test("shifts are staged in as many messages as needed, and then replaced together")
    func replace() async throws {
        let (id, all) = (Samples.requestID(), try shifts(0..<450))
        let stranger = try Samples.email()
        var (script, staged): ([(RosterRequest, RosterReply)], Int) = ([], 0)
        for part in FleetClient.parts(of: all) {
            let reply = RosterReply.staged(shifts: UInt32(staged + part.count))
            script.append((.stage(id, after: UInt32(staged), part), reply))
            staged += part.count
        }
        #expect(script.count > 1)
        script.append(
            (
                .replace(RosterImport(requestID: id, base: RosterVersion(4), shifts: 450, timeZone: .utc)),
                .replaced(roster(version: 5), strangers: [stranger])
            ))
        let client = ScriptedService<RosterRequest>(script)
        let (roster, strangers) = try await client.replaceShifts(
            all, in: .utc, from: RosterVersion(4), requestID: id)
        #expect(roster.version == RosterVersion(5) && strangers == [stranger])
        #expect(client.isDone)
    }

    @Test("shifts are divided so that each message fits, for any text")
    func parts() throws {
        let long = try shifts(0..<500, who: String(repeating: "w", count: Limits.nameBytes))
        for shifts in [long, try shifts(0..<500), []] {
            let parts = FleetClient.parts(of: shifts)
            #expect(parts.flatMap { $0 } == shifts)
            #expect(parts.allSatisfy { (1...Limits.stagedShifts).contains($0.count) })
            #expect(
                parts.allSatisfy { part in
                    part.reduce(0) { $0 + $1.bytesAtMost } <= Limits.stagedShiftBytes
                })
        }
    }
}

@Suite("Logbook requests")
struct LogbookRequestTests {
    private func post(_ number: UInt64) -> Post {
        Post(
            number: PostNumber(number), author: .controller, writtenAt: at, title: "Post \(number)", body: "")
    }

    private func posts(_ numbers: UInt64..., isLast: Bool = false) -> LogbookReply {
        .posts(PostChunk(posts: numbers.map(post), total: 12, isLast: isLast))
    }

    private func draft() throws -> PostDraft {
        try PostDraft(requestID: Samples.requestID(), title: "Leak", body: "")
    }

    @Test("posts are requested chunk by chunk, up to the wanted number")
    func chunks() async throws {
        let client = ScriptedService<LogbookRequest>([
            (.posts(PostPull(skip: 3, limit: 5)), posts(9, 8, 7)),
            (.posts(PostPull(before: PostNumber(7), limit: 2)), posts(6, 5)),
        ])
        let (found, total) = try await client.posts(5, skip: 3)
        #expect(found.map(\.number.value) == [9, 8, 7, 6, 5])
        #expect(total == 12 && client.isDone)
    }

    @Test("all comments on a post and all authors are requested")
    func comments() async throws {
        let author = Author(number: AuthorNumber(1), email: try Samples.email())
        let comment = FleetProtocol.Comment(
            number: CommentNumber(4), post: PostNumber(2), author: author, writtenAt: at, body: "x")
        let client = ScriptedService<LogbookRequest>([
            (
                .comments(on: PostNumber(2), after: .zero),
                .comments(CommentChunk(comments: [comment], isLast: false))
            ),
            (
                .comments(on: PostNumber(2), after: CommentNumber(4)),
                .comments(CommentChunk(comments: [], isLast: true))
            ),
            (.authors(after: .zero), .authors(AuthorChunk(authors: [author], isLast: true))),
        ])
        #expect(try await client.comments(on: PostNumber(2)) == [comment])
        #expect(try await client.authors() == [author])
        #expect(client.isDone)
    }

    @Test("a post with another text than the draft is an unexpected reply")
    func otherText() async throws {
        let draft = try draft()
        let client = ScriptedService<LogbookRequest>([(.addPost(draft), .post(post(1)))])
        await #expect(throws: FleetError.unexpectedReply) { try await client.write(draft) }
    }

    @Test("a post without a reply is sent again with the same ID, so it is written once")
    func again() throws {
        var stage = try Stage()
        let draft = try draft()
        try stage.begin(LogbookRequest.addPost(draft))
        stage.wait(.seconds(2))
        #expect(stage.sent.count >= 2)
        stage.disconnect()
        stage.connect()
        stage.wait(.seconds(1))
        #expect(stage.sent.count >= 3)
        #expect(stage.sent.allSatisfy { $0.request.body == .logbook(.addPost(draft)) })
        try stage.answer(.logbook(.post(post(1))))
        #expect(stage.ends.count == 1)
    }
}

@Suite("Site requests")
struct SiteRequestTests {
    private func device(_ index: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(index)) }

    private func site() throws -> SiteReport {
        let id = SiteID(of: "Mill", in: try Samples.account())
        let site = Site(id: id, version: SiteVersion(1), profile: try SiteProfile(name: "Mill"))
        return SiteReport(site: site, devices: 0, isDescribed: false)
    }

    @Test("a site's devices are read chunk by chunk, including empty chunks")
    func devices() async throws {
        func chunk(_ devices: [Int], next: UInt32, isLast: Bool) -> SiteReply {
            let devices = devices.map { SiteDevices.Device(id: device($0), name: "") }
            return .devices(SiteDevices(devices: devices, nextCursor: next, isLast: isLast))
        }
        let id = try site().site.id
        let client = ScriptedService<SiteRequest>([
            (.devices(id, cursor: 0), chunk([1], next: 10, isLast: false)),
            (.devices(id, cursor: 10), chunk([], next: 20, isLast: false)),
            (.devices(id, cursor: 20), chunk([2, 3], next: 25, isLast: true)),
        ])
        #expect(try await client.devices(at: id).map(\.id) == [1, 2, 3].map(device))
        #expect(client.isDone)
    }

    @Test("devices are assigned a thousand at a time")
    func assign() async throws {
        let devices = (0..<1_500).map(device)
        let client = ScriptedService<SiteRequest>([
            (.assign(Array(devices.prefix(1_000)), to: nil), .assigned(devices: 1_000)),
            (.assign(Array(devices.dropFirst(1_000)), to: nil), .assigned(devices: 500)),
        ])
        try await client.assign(devices, to: nil)
        #expect(client.isDone)
    }

    @Test("a site is added, changed and removed")
    func change() async throws {
        let report = try site()
        let (site, profile) = (report.site, report.site.profile)
        let client = ScriptedService<SiteRequest>([
            (.add(profile), .site(report)),
            (.change(site.id, from: site.version, to: profile), .site(report)),
            (.remove(site.id), .removed(devices: 3)),
        ])
        #expect(try await client.addSite(profile) == report)
        #expect(try await client.changeSite(site.id, from: site.version, to: profile) == report)
        #expect(try await client.removeSite(site.id) == 3)
    }
}

@Suite("Command queue requests", .timeLimit(.minutes(1)))
struct QueueRequestTests {
    private func report(_ number: UInt64) throws -> QueueReport {
        let plan = QueuePlan.demo(on: Samples.device)
        return QueueReport(
            id: RequestID(high: 0x7000, low: number), plan: plan, author: try Samples.email(), startedAt: at,
            state: .running, progress: plan.commands.map { _ in .waiting })
    }

    @Test("over real sockets, a start of a queue without a reply is sent again with its ID after 1 s")
    func silence() async throws {
        try await Bench.connected { bench, controller in
            let known = try report(7)
            async let started = bench.client.startCommandQueue(known.id, known.plan)
            let first = try await controller.next()
            #expect(first.request.body == .commandQueues(.start(known.id, known.plan)))
            try await controller.answerNext(.commandQueues(.report(known)), to: first.request.body)
            #expect(try await started == known)
        }
    }

    @Test("a report of another queue is an unexpected reply")
    func another() async throws {
        let (known, other) = (try report(7), try report(8))
        let client = ScriptedService<QueueRequest>([(.steer(known.id, .pause), .report(other))])
        await #expect(throws: FleetError.unexpectedReply) {
            try await client.steerCommandQueue(known.id, .pause)
        }
    }

    @Test("queues are listed chunk by chunk, the newest first")
    func list() async throws {
        let queues = try (1...3).map { try report($0).summary }
        let client = ScriptedService<QueueRequest>([
            (
                .list(before: nil, limit: 100),
                .list(QueueList(queues: [queues[2], queues[1]], isLast: false))
            ),
            (.list(before: queues[1].id, limit: 100), .list(QueueList(queues: [queues[0]], isLast: true))),
        ])
        #expect(try await client.commandQueues(150).map(\.id) == queues.reversed().map(\.id))
        #expect(client.isDone)
    }
}
