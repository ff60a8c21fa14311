import FleetProtocol

/// Requests to the account services of one account, and the state that its users know from the replies. Each
/// text is unique and begins with the account, so that a text of another account is recognized.
struct ServiceWorkload {
    let account: AccountID
    private var lastText = 0
    private var posts: [PostNumber] = []
    private var sites: [SiteID: Site] = [:]
    private var rosterVersion = RosterVersion.zero
    /// The import whose shifts are staged.
    private var staged: (id: RequestID, shifts: UInt32)?

    init(account: AccountID) { self.account = account }

    mutating func next(
        devices: [DeviceID], at now: WallTime, using random: inout SeededGenerator
    ) -> ClientRequest.Body {
        do {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return try logbook(at: now, using: &random)
            case 1: return try site(devices, using: &random)
            case 2: return try roster(at: now, using: &random)
            default: return labels(devices, using: &random)
            }
        } catch {
            preconditionFailure("a text of the simulation is refused: \(error)")
        }
    }

    private mutating func newText() -> String {
        lastText += 1
        return "\(account)/\(lastText)"
    }

    private mutating func logbook(
        at now: WallTime, using random: inout SeededGenerator
    ) throws -> ClientRequest.Body {
        let post = posts.suffix(8).randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), post) {
        case (0...1, let post?):
            let id = RequestID(at: now, using: &random)
            return .logbook(.addComment(try CommentDraft(requestID: id, post: post, body: newText())))
        case (2, let post?):
            return .logbook(.editPost(try PostEdit(number: post, title: nil, body: newText())))
        case (3, let post?): return .logbook(.removePost(post))
        case (4, let post?): return .logbook(.post(post))
        case (5, let post?): return .logbook(.comments(on: post, after: .zero))
        case (6, _): return .logbook(.posts(PostPull(limit: 5)))
        default:
            let id = RequestID(at: now, using: &random)
            return .logbook(.addPost(try PostDraft(requestID: id, title: newText(), body: newText())))
        }
    }

    private mutating func site(
        _ devices: [DeviceID], using random: inout SeededGenerator
    ) throws -> ClientRequest.Body {
        let known = sites.sorted { $0.key < $1.key }.map(\.value).randomElement(using: &random)
        let device = devices.randomElement(using: &random)
        switch (Int.random(in: 0..<8, using: &random), known) {
        case (0...1, let site?):
            return .sites(.change(site.id, from: site.version, to: try SiteProfile(name: newText())))
        case (2, let site?): return .sites(.remove(site.id))
        case (3, let site?): return .sites(.assign(device.map { [$0] } ?? [], to: site.id))
        case (4, let site?): return .sites(.site(.id(site.id)))
        case (5, _): return .sites(.list(page: 1, size: 20))
        default: return .sites(.add(try SiteProfile(name: newText(), description: newText())))
        }
    }

    private mutating func roster(
        at now: WallTime, using random: inout SeededGenerator
    ) throws -> ClientRequest.Body {
        switch (Int.random(in: 0..<6, using: &random), staged) {
        case (0...2, let staged?):
            let wanted = RosterImport(
                requestID: staged.id, base: rosterVersion, shifts: staged.shifts, timeZone: .utc)
            return .roster(.replace(wanted))
        case (3, _):
            let heading = try RosterHeading(name: newText(), message: newText())
            return .roster(.change(from: rosterVersion, to: heading))
        case (4, _): return .roster(.read(RosterPull()))
        default:
            let id = RequestID(at: now, using: &random)
            let shifts = try (0..<Int64.random(in: 1...3, using: &random)).map { hour in
                let from = now.advanced(by: .seconds(3_600 * hour))
                return try Shift(who: newText(), from: from, to: from.advanced(by: .seconds(3_600)))
            }
            staged = (id, UInt32(shifts.count))
            return .roster(.stage(id, after: 0, shifts))
        }
    }

    private mutating func labels(
        _ devices: [DeviceID], using random: inout SeededGenerator
    ) -> ClientRequest.Body {
        let isRead = Int.random(in: 0..<3, using: &random) == 0
        guard let device = devices.randomElement(using: &random), !isRead else {
            return .labels(.list(after: nil))
        }
        let labels = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
            Label(newText().replacing("/", with: "-"))
        }
        return .labels(.set(LabelAssignment(devices: [device], labels: labels)))
    }

    mutating func received(_ content: ClientReply.Body.Decoded) {
        switch content {
        case .logbook(.post(let post)): if !posts.contains(post.number) { posts.append(post.number) }
        case .logbook(.postRemoved(let number)): posts.removeAll { $0 == number }
        case .sites(.site(let report)):
            if report.site.version != .zero { sites[report.site.id] = report.site }
        case .sites(.list(let page)):
            let known = page.sites.map(\.site).filter { $0.version != .zero }
            sites = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        case .roster(.changed(let roster)), .roster(.replaced(let roster, _)): rosterVersion = roster.version
        case .roster(.chunk(let chunk)): rosterVersion = chunk.roster.version
        default: break
        }
    }
}

// Requests and replies of account services, as simulated clients write and read them.

extension ClientRequest.Body {
    static func logbook(_ request: LogbookRequest) -> Self { .service(ServiceMessage(request)) }
    static func sites(_ request: SiteRequest) -> Self { .service(ServiceMessage(request)) }
    static func roster(_ request: RosterRequest) -> Self { .service(ServiceMessage(request)) }
    static func commandQueues(_ request: QueueRequest) -> Self { .service(ServiceMessage(request)) }
    static func labels(_ request: LabelRequest) -> Self { .service(ServiceMessage(request)) }

    enum Decoded {
        case logbook(LogbookRequest)
        case sites(SiteRequest)
        case roster(RosterRequest)
        case commandQueues(QueueRequest)
        case labels(LabelRequest)
    }

    /// The decoded request of an account service; nil for other requests and undecodable content.
    var decoded: Decoded? {
        guard case .service(let message) = self else { return nil }
        if let request = try? message.request(as: LogbookRequest.self) { return .logbook(request) }
        if let request = try? message.request(as: SiteRequest.self) { return .sites(request) }
        if let request = try? message.request(as: RosterRequest.self) { return .roster(request) }
        if let request = try? message.request(as: QueueRequest.self) { return .commandQueues(request) }
        if let request = try? message.request(as: LabelRequest.self) { return .labels(request) }
        return nil
    }
}

extension ClientReply.Body {
    enum Decoded {
        case logbook(LogbookReply)
        case sites(SiteReply)
        case roster(RosterReply)
        case commandQueues(QueueReply)
        case labels(LabelReply)
    }

    /// The decoded reply of an account service; nil for other replies and undecodable content.
    var decoded: Decoded? {
        guard case .service(let message) = self else { return nil }
        if let reply = try? message.reply(to: LogbookRequest.self) { return .logbook(reply) }
        if let reply = try? message.reply(to: SiteRequest.self) { return .sites(reply) }
        if let reply = try? message.reply(to: RosterRequest.self) { return .roster(reply) }
        if let reply = try? message.reply(to: QueueRequest.self) { return .commandQueues(reply) }
        if let reply = try? message.reply(to: LabelRequest.self) { return .labels(reply) }
        return nil
    }
}
