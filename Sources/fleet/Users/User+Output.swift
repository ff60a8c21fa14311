import FleetProtocol
import Wording

extension User {
    /// The line for scripts.
    var json: JSONValue {
        [
            "email": .string(email.address), "role": .string(role.name), "operator": .bool(isOperator),
        ]
    }

    /// The table for people.
    static func table(of users: [User]) -> TextTable {
        var table = TextTable([("EMAIL", .left), ("ROLE", .left), ("OPERATOR", .left)])
        for user in users {
            table.add([user.email.address, user.role.name, user.isOperator ? "yes" : "no"])
        }
        return table
    }
}
