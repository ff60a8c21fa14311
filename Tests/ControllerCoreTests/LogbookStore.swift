import FleetProtocol

@testable import ControllerCore

/// The store's copy of logbook entries, returned at the next start.
struct LogbookStore {
    private var stored: [AccountID: (marks: LogbookMarks, posts: [StoredPost])] = [:]

    /// The logbooks of all accounts.
    var logbooks: [StoredLogbook] {
        stored.sorted { $0.key.name < $1.key.name }.map {
            StoredLogbook(account: $0.key, marks: $0.value.marks, posts: $0.value.posts)
        }
    }

    mutating func store(_ entry: LogbookEntry) {
        switch entry {
        case .posted(let account, let post): stored[account, default: (.init(), [])].posts.append(post)
        case .commented(let account, let addition):
            let posts = stored[account]?.posts ?? []
            stored[account]?.posts = posts.map { post in
                guard post.post.number == addition.comment.post else { return post }
                return StoredPost(post.post, requestID: post.requestID, comments: post.comments + [addition])
            }
        case .edited(let account, let edited):
            let posts = stored[account]?.posts ?? []
            stored[account]?.posts = posts.map { post in
                guard post.post.number == edited.number else { return post }
                return StoredPost(edited, requestID: post.requestID, comments: post.comments)
            }
        case .removed(let account, let numbers):
            stored[account]?.posts.removeAll { numbers.contains($0.post.number) }
        case .marked(let account, let marks): stored[account, default: (.init(), [])].marks = marks
        }
    }
}
