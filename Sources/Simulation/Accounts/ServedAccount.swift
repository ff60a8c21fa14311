import ControllerCore
import FleetProtocol

/// Posts, sites, shifts and labels of one account, as a controller serves them to a user of the account.
struct ServedAccount: Equatable {
    let account: AccountID
    /// The oldest first.
    var posts: [Post] = []
    /// By post, the oldest first.
    var comments: [Comment] = []
    /// The sites that users have described, by ID and without descriptions.
    var sites: [Site] = []
    var assignments: [SiteAssignment] = []
    var heading = RosterHeading.empty
    var rosterVersion = RosterVersion.zero
    var shifts: [Shift] = []
    var labels: [LabelledDevice] = []

    /// Reads everything of an account; `ask` returns nil if no controller is alive.
    init?(of account: AccountID, ask: (ClientRequest.Body) -> ClientReply.Body?) {
        self.account = account
        var before: PostNumber?
        while true {
            guard case .logbook(.posts(let chunk))? = ask(.logbook(.posts(PostPull(before: before))))?.decoded
            else { return nil }
            posts = chunk.posts.reversed() + posts
            before = chunk.posts.last?.number
            if chunk.isLast || chunk.posts.isEmpty { break }
        }
        for post in posts where post.comments > 0 {
            guard
                case .logbook(.comments(let chunk))? =
                    ask(.logbook(.comments(on: post.number, after: .zero)))?.decoded
            else { return nil }
            comments += chunk.comments
        }
        guard case .sites(.list(let page))? = ask(.sites(.list(page: 1, size: 100)))?.decoded,
            case .sites(.assignments(let assigned))? = ask(.sites(.assignments(after: nil)))?.decoded,
            case .roster(.chunk(let roster))? = ask(.roster(.read(RosterPull())))?.decoded,
            case .labels(.list(let labels, _))? = ask(.labels(.list(after: nil)))?.decoded
        else { return nil }
        sites = page.sites.map(\.site).filter { $0.version != .zero }.sorted { $0.id < $1.id }
        assignments = assigned.assignments
        (heading, rosterVersion, shifts) = (roster.roster.heading, roster.roster.version, roster.shifts)
        self.labels = labels
    }

    init(of account: AccountID, in records: AccountRecords) {
        self.init(rosterOf: account, in: records)
        for record in records.contents(LogbookRecord.self, of: account) {
            switch record {
            case .post(var post, _):
                post.comments = 0
                posts.append(post)
            case .comment(let comment, _):
                comments.append(comment)
                for place in posts.indices where posts[place].number == comment.post {
                    posts[place].comments += 1
                }
            case .marks: break
            }
        }
        // A controller serves comments by post.
        comments.sort { ($0.post, $0.number) < ($1.post, $1.number) }
        for record in records.contents(SiteRecord.self, of: account) {
            switch record {
            case .site(let site): sites.append(site.brief)
            case .device(let device, let site): assignments.append(.init(device: device, site: site))
            case .removed: break
            }
        }
        sites.sort { $0.id < $1.id }
        labels = records.labels(of: account)
    }

    init(rosterOf account: AccountID, in records: AccountRecords) {
        self.account = account
        for record in records.contents(RosterRecord.self, of: account) {
            switch record {
            case .shift(let shift, _): shifts.append(shift)
            case .roster(let version, let heading, _, _): (rosterVersion, self.heading) = (version, heading)
            }
        }
    }

    /// Describes the first part that differs from the stored one.
    func difference(from stored: ServedAccount) -> String {
        if posts != stored.posts { return "posts \(posts) are served, stored are \(stored.posts)" }
        if comments != stored.comments {
            return "comments \(comments) are served, stored are \(stored.comments)"
        }
        if sites != stored.sites { return "sites \(sites) are served, stored are \(stored.sites)" }
        if assignments != stored.assignments {
            return "assignments \(assignments) are served, stored are \(stored.assignments)"
        }
        if labels != stored.labels { return "labels \(labels) are served, stored are \(stored.labels)" }
        return "roster \(rosterVersion) with \(shifts) is served, stored is \(stored.rosterVersion) with "
            + "\(stored.shifts)"
    }
}
