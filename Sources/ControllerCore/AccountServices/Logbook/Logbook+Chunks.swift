import DequeModule
import FleetProtocol

/// What fits in one message.
extension Logbook {
    private static let room = Limits.chunkBytes - SnapshotChunk.frameBytesAtMost

    /// Some of the posts that somebody wants, the newest first; one at least where there are any.
    func chunk(_ pull: PostPull) -> PostChunk {
        let end = pull.before.map(firstPlace) ?? posts.count
        var (found, bytesLeft, skip) = ([Post](), Self.room, pull.skip)
        var isLast = true
        for place in posts.indices.prefix(end).reversed() where isWanted(place, by: pull) {
            guard skip == 0 else {
                skip -= 1
                continue
            }
            let post = posts[place].post
            bytesLeft -= post.bytesAtMost
            guard found.count < Int(pull.limit), bytesLeft >= 0 else {
                isLast = false
                break
            }
            found.append(post)
        }
        return PostChunk(posts: found, total: count(of: pull), isLast: isLast)
    }

    /// Some of those who have written.
    func authors(after number: AuthorNumber) -> AuthorChunk {
        let rest = authors.filter { $0.number > number }
        return AuthorChunk(
            authors: Array(rest.prefix(Limits.chunkAuthors)), isLast: rest.count <= Limits.chunkAuthors)
    }

    private func isWanted(_ place: Int, by pull: PostPull) -> Bool {
        pull.author.map { $0 == posts[place].post.author.number } ?? true
    }

    private func count(of pull: PostPull) -> UInt32 {
        guard pull.author != nil else { return UInt32(posts.count) }
        return UInt32(posts.indices.count { isWanted($0, by: pull) })
    }
}

extension KeptPost {
    /// Some of the comments, the oldest first; one at least where there are any.
    func chunk(after number: CommentNumber) -> CommentChunk {
        var (found, bytesLeft) = ([Comment](), Limits.chunkBytes - SnapshotChunk.frameBytesAtMost)
        for kept in comments where kept.comment.number > number {
            bytesLeft -= kept.comment.bytesAtMost
            guard bytesLeft >= 0 else { return CommentChunk(comments: found, isLast: false) }
            found.append(kept.comment)
        }
        return CommentChunk(comments: found, isLast: true)
    }
}
