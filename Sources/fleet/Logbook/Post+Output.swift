import FleetProtocol
import UserText

extension Post {
    static func columns(at now: WallTime) -> [TextTable.Column<Post>] {
        [
            ("POST", .right, { "\($0.number)" }),
            ("AGE", .right, { TimeText.age($0.writtenAt.duration(to: now)) }),
            ("AUTHOR", .left, { $0.author.text }), ("ABOUT", .left, { $0.subject?.text ?? "-" }),
            ("COMMENTS", .right, { "\($0.comments)" }), ("TITLE", .left, { $0.title }),
        ]
    }

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
