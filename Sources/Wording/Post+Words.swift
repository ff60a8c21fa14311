public import FleetProtocol
import Stepping

extension Author {
    /// Who it is, in words: the address, or that it is the controller.
    public var words: String { email?.address ?? "controller" }

    /// The user of that number, in the names of jsonplaceholder's fields; what is not known of users is not
    /// there.
    public var json: JSONValue {
        [
            "id": .integer(Int64(number.value)), "name": .string(words), "username": .string(words),
            "email": .text(email),
        ]
    }
}

extension PostSubject {
    /// What it is, in words: the device's name or id, or the site.
    public var words: String {
        switch self {
        case .device(let id, let name): SafeText.label(name, of: id)
        case .site(let site): SafeText.of(site)
        }
    }
}

extension Post {
    /// The post in the names of jsonplaceholder's fields, with what else is known of it.
    ///
    /// Texts are strangers', as they were written.
    public var json: JSONValue {
        var (device, deviceName, site): (JSONValue, JSONValue, JSONValue) = (.null, .null, .null)
        switch subject {
        case .device(let id, let name): (device, deviceName) = (.string(id.description), .string(name))
        case .site(let name): site = .string(name)
        case nil: break
        }
        return [
            "userId": .integer(Int64(author.number.value)), "id": .integer(Int64(number.value)),
            "title": .string(title), "body": .string(body), "author": .string(author.words),
            "writtenAtMs": .integer(writtenAt.unixMilliseconds), "device": device, "deviceName": deviceName,
            "site": site, "commentCount": .integer(Int64(comments)),
            "editedAtMs": editedAt.map { .integer($0.unixMilliseconds) } ?? .null,
        ]
    }
}

extension Comment {
    /// The comment in the names of jsonplaceholder's fields, with what else is known of it.
    ///
    /// The text is a stranger's, as it was written.
    public var json: JSONValue {
        [
            "postId": .integer(Int64(post.value)), "id": .integer(Int64(number.value)),
            "name": .string(author.words), "email": .text(author.email),
            "body": .string(body), "userId": .integer(Int64(author.number.value)),
            "writtenAtMs": .integer(writtenAt.unixMilliseconds),
        ]
    }
}
