import FleetProtocol
import UserText

extension Post {
    static func table(of posts: [Post], at now: WallTime) -> TextTable {
        var table = TextTable([
            ("POST", .right), ("AGE", .right), ("AUTHOR", .left), ("ABOUT", .left), ("COMMENTS", .right),
            ("TITLE", .left),
        ])
        for post in posts {
            table.add([
                "\(post.number)", TimeText.age(post.writtenAt.duration(to: now)), post.author.text,
                post.subject?.text ?? "-", "\(post.comments)", post.title,
            ])
        }
        return table
    }

    /// The whole post for people.
    var lines: [String] {
        let about = subject.map { ", about \($0.text)" } ?? ""
        let edited = editedAt.map { ", edited \(TimeText.iso8601($0))" } ?? ""
        let head = "\(SafeText.of(author.text)), \(TimeText.iso8601(writtenAt))\(edited)\(about)"
        return ["\(number): \(SafeText.of(title))", head] + (body.isEmpty ? [] : [""] + body.safeLines)
    }
}

extension Comment {
    var lines: [String] {
        let indented = body.safeLines.map { $0.isEmpty ? "" : "  \($0)" }
        return ["\(SafeText.of(author.text)), \(TimeText.iso8601(writtenAt)):"] + indented
    }
}

extension String {
    fileprivate var safeLines: [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            SafeText.of(String(line.replacing("\t", with: "    ")))
        }
    }
}
