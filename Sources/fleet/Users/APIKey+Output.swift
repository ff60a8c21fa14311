import FleetProtocol
import Stepping
import Wording

extension APIKey {
    /// The line for scripts, which never has the key itself.
    var json: JSONValue {
        [
            "name": .string(name.text), "user": .string(user.address), "scope": .string(scope.name),
            "madeAtMs": .integer(madeAt.unixMilliseconds),
        ]
    }

    /// The line for the script that makes it: the only one to have the key itself.
    func json(with secret: Secret) -> JSONValue {
        [
            "name": .string(name.text), "user": .string(user.address), "scope": .string(scope.name),
            "key": .string(secret.text),
        ]
    }

    /// The table for people.
    static func table(of keys: [APIKey]) -> TextTable {
        var table = TextTable([("NAME", .left), ("SCOPE", .left), ("MADE", .left)])
        for key in keys { table.add([key.name.text, key.scope.name, TimeText.iso8601(key.madeAt)]) }
        return table
    }
}
