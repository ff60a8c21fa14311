import Stepping

extension APIKey.Scope: DefaultedWireEnum {}

extension APIKey: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (name, user, madeAt, scope) = ("", "", Int64(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&user)
            case 3: try fields.read(&madeAt)
            case 4: try fields.read(&scope)
            default: break
            }
        }
        self.init(
            name: try Name(wire: name), user: try Email(wire: user),
            madeAt: WallTime(wireMilliseconds: madeAt), scope: try Scope(wire: scope))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name.text)
        fields.put(2, user.address)
        fields.put(3, madeAt.unixMilliseconds)
        fields.put(4, scope.wire)
    }
}

extension APIKey.Scope {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "key.scope", expected: "a scope")
    }
}

extension APIKey.Name {
    init(wire text: String) throws(WireError) {
        guard let name = APIKey.Name(text) else { throw .malformed("key.name", "1 to 32 of [A-Za-z0-9._-]") }
        self = name
    }
}

/// A key that is to be made: its name, what it hashes to, and what it may do.
struct KeyAddition: WireFields {
    let name: APIKey.Name
    let digest: TokenDigest
    let scope: APIKey.Scope

    init(_ name: APIKey.Name, _ digest: TokenDigest, _ scope: APIKey.Scope) {
        self.name = name
        self.digest = digest
        self.scope = scope
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (name, digest, scope) = ("", [UInt8](), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&digest)
            case 3: try fields.read(&scope)
            default: break
            }
        }
        guard let digest = TokenDigest(digest) else { throw .malformed("key.digest", "32 bytes") }
        self.init(try APIKey.Name(wire: name), digest, try APIKey.Scope(wire: scope))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name.text)
        fields.put(2, digest.bytes)
        fields.put(3, scope.wire)
    }
}

/// The keys of a user.
struct KeyList: WireFields {
    let keys: [APIKey]

    init(keys: [APIKey]) {
        self.keys = keys
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var keys: [APIKey] = []
        while let field = try fields.next() {
            if field == 1 { try fields.read(&keys) }
        }
        guard keys.count <= Limits.userKeys else { throw .malformed("keys", "at most \(Limits.userKeys)") }
        self.init(keys: keys)
    }

    func write(to fields: inout FieldWriter) {
        for key in keys { fields.put(1, key) }
    }
}
