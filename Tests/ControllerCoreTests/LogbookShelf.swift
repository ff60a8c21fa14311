import FleetProtocol

@testable import ControllerCore

/// The store's copy of logbook entries, returned at the next start.
struct LogbookShelf {
    private var books: [AccountID: (marks: LogbookMarks, posts: [StoredPost])] = [:]

    /// The logbooks of all accounts.
    var logbooks: [StoredLogbook] {
        books.sorted { $0.key.name < $1.key.name }.map {
            StoredLogbook(account: $0.key, marks: $0.value.marks, posts: $0.value.posts)
        }
    }

    mutating func keep(_ entry: LogbookEntry) {
        switch entry {
        case .posted(let account, let post): books[account, default: (.init(), [])].posts.append(post)
        case .commented(let account, let kept):
            let posts = books[account]?.posts ?? []
            books[account]?.posts = posts.map { post in
                guard post.post.number == kept.comment.post else { return post }
                return StoredPost(post.post, requestID: post.requestID, comments: post.comments + [kept])
            }
        case .edited(let account, let edited):
            let posts = books[account]?.posts ?? []
            books[account]?.posts = posts.map { post in
                guard post.post.number == edited.number else { return post }
                return StoredPost(edited, requestID: post.requestID, comments: post.comments)
            }
        case .forgotten(let account, let numbers):
            books[account]?.posts.removeAll { numbers.contains($0.post.number) }
        case .marked(let account, let marks): books[account, default: (.init(), [])].marks = marks
        }
    }
}
