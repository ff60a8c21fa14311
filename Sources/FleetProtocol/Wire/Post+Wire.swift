import Stepping

extension Author: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (number, email) = (UInt32(0), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&email)
            default: break
            }
        }
        guard number > 0 else {
            guard email.isEmpty else { throw .malformed("author.email", "none: 0 is the controller") }
            self = .controller
            return
        }
        self.init(number: AuthorNumber(UInt64(number)), email: try Email(wire: email, field: "author.email"))
    }

    /// The author that must be there.
    init(wire message: FieldReader?) throws(WireError) {
        guard let message else { throw .missing("author") }
        try self.init(wire: message)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.value)
        if let email { fields.put(2, email.address) }
    }
}

extension PostSubject: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (device, name, site) = (DeviceID?.none, "", "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&name)
            case 3: try fields.read(&site)
            default: break
            }
        }
        if let device, site.isEmpty {
            let name = try name.checked(bytes: Limits.nameBytes, field: "subject.device_name")
            self = .device(device, name: name)
        } else if device == nil, !site.isEmpty {
            self = .site(try site.checked(bytes: Limits.nameBytes, field: "subject.site"))
        } else {
            throw .malformed("subject", "a device of 8 letters or digits, or a site")
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .device(let device, let name):
            fields.put(1, device)
            fields.put(2, name)
        case .site(let site): fields.put(3, site)
        }
    }
}

extension Post: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (number, author, writtenAt) = (UInt64(0), FieldReader?.none, Int64(0))
        var (title, body, subject, comments) = ("", "", FieldReader?.none, UInt32(0))
        var editedAt: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&author)
            case 3: try fields.read(&writtenAt)
            case 4: try fields.read(&title)
            case 5: try fields.read(&body)
            case 6: try fields.read(&subject)
            case 7: try fields.read(&comments)
            case 8: try fields.read(&editedAt)
            default: break
            }
        }
        self.init(
            number: try PostNumber(wire: number, field: "post.number"), author: try Author(wire: author),
            writtenAt: WallTime(wireMilliseconds: writtenAt),
            title: try title.checked(bytes: Limits.postTitleBytes, field: "post.title"),
            body: try body.checked(bytes: Limits.postBodyBytes, field: "post.body"),
            subject: try PostSubject(wireOptional: subject), comments: comments,
            editedAt: editedAt.map(WallTime.init(wireMilliseconds:)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.value)
        fields.put(2, author)
        fields.put(3, writtenAt.unixMilliseconds)
        fields.put(4, title)
        fields.put(5, body)
        if let subject { fields.put(6, subject) }
        fields.put(7, comments)
        fields.put(8, optional: editedAt?.unixMilliseconds)
    }
}

extension PostSubject {
    /// The subject, where there is one.
    fileprivate init?(wireOptional message: FieldReader?) throws(WireError) {
        guard let message else { return nil }
        try self.init(wire: message)
    }
}

extension PostDraft: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, title, body, subject) = (FieldReader?.none, "", "", FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&title)
            case 3: try fields.read(&body)
            case 4: try fields.read(&subject)
            default: break
            }
        }
        let (id, about) = (try RequestID(wire: requestID), try PostSubject(wireOptional: subject))
        do throws(LogbookTextError) {
            try self.init(requestID: id, title: title, body: body, subject: about)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, title)
        fields.put(3, body)
        if let subject { fields.put(4, subject) }
    }
}

extension FieldReader {
    /// The present value of an `optional string`.
    fileprivate mutating func text() throws(WireError) -> String {
        var text = ""
        try read(&text)
        return text
    }
}

extension PostEdit: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (number, title, body) = (UInt64(0), String?.none, String?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: title = try fields.text()
            case 3: body = try fields.text()
            default: break
            }
        }
        let post = try PostNumber(wire: number, field: "post")
        do throws(LogbookTextError) {
            try self.init(number: post, title: title, body: body)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.value)
        fields.put(2, optional: title)
        fields.put(3, optional: body)
    }
}

extension WireError {
    /// A text that cannot be written in a logbook.
    init(_ error: LogbookTextError) {
        self =
            switch error {
            case .blank(let field): .malformed(field, "something that can be seen")
            case .tooLong(let field, let limit): .malformed(field, "at most \(limit) bytes")
            case .control(let field):
                .malformed(field, "no control characters but line breaks and tabs in a body")
            }
    }
}
