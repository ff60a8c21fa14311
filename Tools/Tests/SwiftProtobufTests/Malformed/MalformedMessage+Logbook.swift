import FleetProtocol

extension MalformedMessage {
    /// Invalid requests and replies about the logbook.
    static func logbook() throws -> [MalformedMessage] {
        let post = "write a post without a subject"
        return [
            try changed(LogbookRequest.self, "a post without an id", from: post, .absent("request_id")) {
                $0.addPost.clearRequestID()
            },
            try changed(
                LogbookRequest.self,
                "a post without a title", from: post, .wrong("title", "something that can be seen")
            ) { $0.addPost.title = "" },
            try changed(
                LogbookRequest.self,
                "a title without visible characters", from: post,
                .wrong("title", "something that can be seen")
            ) { $0.addPost.title = "\u{200b} \u{202e}" },
            try changed(
                LogbookRequest.self, "a title of 201 bytes", from: post, .wrong("title", "at most 200 bytes")
            ) {
                $0.addPost.title = String(repeating: "a", count: 201)
            },
            try changed(
                LogbookRequest.self,
                "a title of two lines", from: post,
                .wrong("title", "no control characters but line breaks and tabs in a body")
            ) { $0.addPost.title = "a\nb" },
            try changed(
                LogbookRequest.self, "a body of 8193 bytes", from: post, .wrong("body", "at most 8192 bytes")
            ) {
                $0.addPost.body = String(repeating: "a", count: 8_193)
            },
            try changed(
                LogbookRequest.self,
                "a post with an empty subject", from: post,
                .wrong("subject", "a device of 8 letters or digits, or a site")
            ) { $0.addPost.subject = .init() },
            try changed(
                LogbookRequest.self,
                "a site of 65 bytes", from: "write a post about a site",
                .wrong("subject.site", "at most 64 bytes")
            ) { $0.addPost.subject.site = String(repeating: "a", count: 65) },
            try changed(
                LogbookRequest.self,
                "an empty comment", from: "write a comment",
                .wrong("body", "something that can be seen")
            ) { $0.addComment.body = "\n" },
            try changed(
                LogbookRequest.self,
                "a comment of 4097 bytes", from: "write a comment", .wrong("body", "at most 4096 bytes")
            ) { $0.addComment.body = String(repeating: "a", count: 4_097) },
            try changed(
                LogbookRequest.self,
                "a page of 101 posts", from: "the newest posts", .wrong("posts.limit", "1 to 100")
            ) {
                $0.posts.limit = 101
            },
        ]
    }
}
