import Stepping

extension Comment: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (number, post, author) = (UInt64(0), UInt64(0), FieldReader?.none)
        var (writtenAt, body) = (Int64(0), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&post)
            case 3: try fields.read(&author)
            case 4: try fields.read(&writtenAt)
            case 5: try fields.read(&body)
            default: break
            }
        }
        self.init(
            number: try CommentNumber(wire: number, field: "comment.number"),
            post: try PostNumber(wire: post, field: "comment.post"), author: try Author(wire: author),
            writtenAt: WallTime(wireMilliseconds: writtenAt),
            body: try body.checked(bytes: Limits.commentBytes, field: "comment.body"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.value)
        fields.put(2, post.value)
        fields.put(3, author)
        fields.put(4, writtenAt.unixMilliseconds)
        fields.put(5, body)
    }
}

extension CommentDraft: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, post, body) = (FieldReader?.none, UInt64(0), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&post)
            case 3: try fields.read(&body)
            default: break
            }
        }
        let (id, number) = (try RequestID(wire: requestID), try PostNumber(wire: post, field: "post"))
        do throws(LogbookTextError) {
            try self.init(requestID: id, post: number, body: body)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, post.value)
        fields.put(3, body)
    }
}
