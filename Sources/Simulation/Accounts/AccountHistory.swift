import ControllerCore
import FleetProtocol

/// A request of an account client, with what is needed to judge its reply.
struct AccountQuestion {
    let account: AccountID
    let email: Email
    /// The session or key that it was sent with; nil for a log-in.
    let digest: TokenDigest?
    let body: ClientRequest.Body
    /// The key that is added or revoked; nil for other requests.
    var subject: TokenDigest?
    /// The password of a log-in or sign-up, or the new one of a password reset; empty for other requests.
    var password = ""
    /// The number of passwords that the user had replaced when a controller first received the request; nil
    /// for an address without a user.
    var replacedPasswords: Int?
    /// Whether the reset token had been sent, and no controller had received another request that may end it.
    var isTokenUsable = false
    /// Whether `digest` had ended when a controller first received the request.
    var hadEnded = false
    var isReceived = false
}

/// The changes of accounts that controllers have stored, and the replies to account clients. Invariants: a
/// reply contains only values that were stored for its account before the reply left, and a controller
/// process that has started serves exactly the stored values.
struct AccountHistory {
    private var records = AccountRecords()
    private var credentials = CredentialHistory()
    private var passwords: PasswordHistory
    private var questions = HashTable<UInt64, AccountQuestion>()
    /// Every stored version of each post, without its comments.
    private var posts: [AccountID: [PostNumber: [Post]]] = [:]
    private var comments: [AccountID: [CommentNumber: Comment]] = [:]
    private var sites: [AccountID: [SiteID: [Site]]] = [:]
    private var rosters: [AccountID: [ServedAccount]] = [:]
    private var labels: [AccountID: Set<LabelledDevice>] = [:]

    /// The users are those with which the simulation starts.
    init(users: [ControllerConfiguration.User]) { passwords = PasswordHistory(users: users) }

    mutating func stored(_ change: StorageChange, into findings: inout Findings) {
        switch change {
        case .access(let entry):
            credentials.stored(entry)
            passwords.stored(entry, into: &findings)
        case .service(let record):
            records.apply(record)
            stored(record)
        case .request, .directory, .move: break
        }
    }

    private mutating func stored(_ record: ServiceRecord) {
        let (account, value) = (record.account, record.value ?? [])
        switch record.service {
        case LogbookRequest.service:
            switch try? LogbookRecord(wireBytes: value) {
            case .post(let post, _)?:
                posts[account, default: [:]][post.number, default: []].append(post.withoutComments)
            case .comment(let comment, _)?: comments[account, default: [:]][comment.number] = comment
            case .marks?, nil: break
            }
        case SiteRequest.service:
            guard case .site(let site)? = try? SiteRecord(wireBytes: value) else { return }
            sites[account, default: [:]][site.id, default: []].append(site)
        case RosterRequest.service:
            // The roster is stored after its shifts.
            guard case .roster? = try? RosterRecord(wireBytes: value) else { return }
            rosters[account, default: []].append(ServedAccount(rosterOf: account, in: records))
        case LabelRequest.service: labels[account, default: []].formUnion(records.labels(of: account))
        default: break
        }
    }

    mutating func asked(_ question: AccountQuestion, as correlation: UInt64) {
        credentials.asked(question)
        _ = questions.index(of: correlation, default: question)
    }

    /// Records that a controller receives a request, which the network may have duplicated.
    mutating func received(_ correlation: UInt64) {
        guard let index = questions.index(of: correlation) else { return }
        let question = questions[index]
        let hadEnded = credentials.hasEnded(question.digest) || passwords.hasEnded(question.digest)
        if !question.isReceived, question.password != "" {
            questions[index].replacedPasswords = passwords.replacedPasswords(of: question.email)
        }
        questions[index].hadEnded = hadEnded && (question.hadEnded || !question.isReceived)
        questions[index].isReceived = true
        credentials.received(question)
        questions[index].isTokenUsable = passwords.received(question, as: correlation)
    }

    /// Records the end of a controller process, which does not reply any more.
    mutating func ended() { passwords.ended() }

    /// Checks a reply as it leaves a controller, with its decoded content if it is that of a service. Returns
    /// the request that it answers.
    mutating func replied(
        _ reply: ClientReply, _ content: ClientReply.Body.Decoded?, isNewest: Bool,
        into findings: inout Findings
    ) -> AccountQuestion? {
        guard let question = questions[reply.correlation] else { return nil }
        credentials.replied(reply.body, to: question, isNewest: isNewest, into: &findings)
        passwords.replied(reply, to: question, isNewest: isNewest, into: &findings)
        check(reply.body, content, to: question, into: &findings)
        return question
    }

    mutating func sent(_ message: OutgoingMessage, into findings: inout Findings) {
        passwords.sent(message, into: &findings)
    }

    private mutating func check(
        _ body: ClientReply.Body, _ content: ClientReply.Body.Decoded?, to question: AccountQuestion,
        into findings: inout Findings
    ) {
        let account = question.account
        switch body {
        case .who(let session):
            if session.email != question.email || session.account != account {
                findings.violate("\(question.email) gets the session of \(session.email)")
            }
        case .keys(let keys):
            for key in keys where key.user != question.email {
                findings.violate("\(question.email) gets a key of \(key.user)")
            }
        default: break
        }
        guard let content else { return }
        for what in unstored(in: content, of: account) {
            findings.violate("\(account) receives what it has not stored: \(what)")
        }
        recordReply(content, to: question, into: &findings)
    }

    private func recordReply(
        _ content: ClientReply.Body.Decoded, to question: AccountQuestion, into findings: inout Findings
    ) {
        switch content {
        case .logbook(.post):
            if case .logbook(.addPost)? = question.body.decoded { findings.seen.insert("post stored") }
        case .logbook(.comment): findings.seen.insert("comment stored")
        case .logbook(.postRemoved): findings.seen.insert("post removed")
        case .sites(.site):
            if case .sites(.add)? = question.body.decoded { findings.seen.insert("site stored") }
        case .sites(.removed): findings.seen.insert("site removed")
        case .sites(.assigned): findings.seen.insert("device assigned")
        case .roster(.replaced): findings.seen.insert("shifts stored")
        case .labels(.set): findings.seen.insert("labels stored")
        default: break
        }
    }

    /// The values in a reply that were never stored for the account.
    private func unstored(in content: ClientReply.Body.Decoded, of account: AccountID) -> [String] {
        switch content {
        case .logbook(.post(let post)): unstored([post], in: account)
        case .logbook(.posts(let chunk)): unstored(chunk.posts, in: account)
        case .logbook(.comment(let comment)): unstored([comment], in: account)
        case .logbook(.comments(let chunk)): unstored(chunk.comments, in: account)
        case .sites(.site(let report)): unstored([report.site], in: account)
        case .sites(.list(let page)): unstored(page.sites.map(\.site), in: account)
        case .roster(.changed(let roster)), .roster(.replaced(let roster, _)):
            unstored(roster, [], in: account)
        case .roster(.chunk(let chunk)): unstored(chunk.roster, chunk.shifts, in: account)
        case .labels(.list(let devices, _)):
            devices.filter { labels[account]?.contains($0) != true }.map { "\($0)" }
        default: []
        }
    }

    private func unstored(_ reported: [Post], in account: AccountID) -> [String] {
        reported.filter { post in
            posts[account]?[post.number]?.contains(post.withoutComments) != true
        }.map { "\($0)" }
    }

    private func unstored(_ reported: [Comment], in account: AccountID) -> [String] {
        reported.filter { comments[account]?[$0.number] != $0 }.map { "\($0)" }
    }

    /// Sites of version 0 are named by nodes and are not stored.
    private func unstored(_ reported: [Site], in account: AccountID) -> [String] {
        reported.filter { site in
            let versions = sites[account]?[site.id] ?? []
            return site.version != .zero
                && !versions.contains {
                    $0.version == site.version && [$0.profile, $0.profile.brief].contains(site.profile)
                }
        }.map { "\($0)" }
    }

    private func unstored(_ reported: Roster, _ shifts: [Shift], in account: AccountID) -> [String] {
        guard reported.version != .zero else { return [] }
        let isStored = (rosters[account] ?? []).contains { (record: ServedAccount) -> Bool in
            guard record.rosterVersion == reported.version, record.heading == reported.heading else {
                return false
            }
            return record.shifts.count == Int(reported.shifts)
                && shifts.allSatisfy { record.shifts.contains($0) }
        }
        return isStored ? [] : ["\(reported), \(shifts)"]
    }

    func check(_ served: ServedAccount, when: String, into findings: inout Findings) {
        let stored = ServedAccount(of: served.account, in: records)
        if served != stored {
            findings.violate("\(served.account) \(when): \(served.difference(from: stored))")
        }
    }
}

extension Post {
    fileprivate var withoutComments: Post {
        var post = self
        post.comments = 0
        return post
    }
}
