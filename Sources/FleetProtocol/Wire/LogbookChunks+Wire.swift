extension PostPull: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (before, skip, limit, author) = (UInt64(0), UInt32(0), UInt32(0), UInt32?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&before)
            case 2: try fields.read(&skip)
            case 3: try fields.read(&limit)
            case 4: try fields.read(&author)
            default: break
            }
        }
        guard (1...UInt32(Limits.chunkPosts)).contains(limit) else {
            throw .malformed("posts.limit", "1 to \(Limits.chunkPosts)")
        }
        self.init(
            before: before == 0 ? nil : try PostNumber(wire: before, field: "posts.before"), skip: skip,
            limit: limit, author: author.map { AuthorNumber(UInt64($0)) })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, before?.value ?? 0)
        fields.put(2, skip)
        fields.put(3, limit)
        fields.put(4, optional: author?.value)
    }
}

/// Which of the comments on a post somebody wants.
struct CommentPull: WireFields {
    let post: PostNumber
    let after: CommentNumber

    init(_ post: PostNumber, after: CommentNumber) {
        self.post = post
        self.after = after
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (post, after) = (UInt64(0), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&post)
            case 2: try fields.read(&after)
            default: break
            }
        }
        self.init(
            try PostNumber(wire: post, field: "comments.post"),
            after: try CommentNumber(wire: after, field: "comments.after"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, post.value)
        fields.put(2, after.value)
    }
}

extension PostNumber {
    /// The post that a query's field 1 names.
    init(wireQuery fields: consuming FieldReader) throws(WireError) {
        var number = UInt64(0)
        while let field = try fields.next() {
            if field == 1 { try fields.read(&number) }
        }
        try self.init(wire: number, field: "post.number")
    }
}

extension PostChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (posts, total, isLast) = ([Post](), UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&posts)
            case 2: try fields.read(&total)
            case 3: try fields.read(&isLast)
            default: break
            }
        }
        self.init(posts: posts, total: total, isLast: isLast)
    }

    func write(to fields: inout FieldWriter) {
        for post in posts { fields.put(1, post) }
        fields.put(2, total)
        fields.put(3, isLast)
    }
}

extension CommentChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (comments, isLast) = ([Comment](), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&comments)
            case 2: try fields.read(&isLast)
            default: break
            }
        }
        self.init(comments: comments, isLast: isLast)
    }

    func write(to fields: inout FieldWriter) {
        for comment in comments { fields.put(1, comment) }
        fields.put(2, isLast)
    }
}

extension AuthorChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (authors, isLast) = ([Author](), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&authors)
            case 2: try fields.read(&isLast)
            default: break
            }
        }
        self.init(authors: authors, isLast: isLast)
    }

    func write(to fields: inout FieldWriter) {
        for author in authors { fields.put(1, author) }
        fields.put(2, isLast)
    }
}
