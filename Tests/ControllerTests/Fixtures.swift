import ControllerCore
import FleetProtocol
import Foundation
import Testing

@testable import controller

/// The value of an initializer that a test's constants satisfy.
func valid<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("not a valid \(Value.self)") }
    return value
}

extension AccountID {
    static let demo = valid(AccountID("demo"))
    static let other = valid(AccountID("other"))
}

extension Email {
    static let ann = valid(Email("ann@example.com"))
    static let ben = valid(Email("ben@example.com"))
    static let eve = valid(Email("eve@example.com"))
}

extension DeviceID {
    init(constant text: String) { self = valid(DeviceID(text)) }
}

extension TokenDigest {
    /// The digest that has that byte repeated.
    static func of(_ byte: UInt8) -> TokenDigest {
        valid(TokenDigest([UInt8](repeating: byte, count: 32)))
    }
}

extension ControllerConfiguration.User {
    /// A user without rights as an operator.
    init(_ email: Email, _ role: Session.Role = .member) {
        self.init(
            session: Session(account: .demo, email: email, role: role, isOperator: false),
            passwordHash: "argon2id")
    }
}

extension ControllerConfiguration.KnownKey {
    init(
        _ name: String, of user: Email, _ digest: TokenDigest, madeAt: WallTime = StoreBench.now,
        scope: APIKey.Scope = .switch
    ) {
        self.init(
            digest: digest,
            key: APIKey(name: valid(APIKey.Name(name)), user: user, madeAt: madeAt, scope: scope))
    }
}

extension Database {
    /// The SQL script of that name among the fixtures.
    static func script(_ name: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/\(name).sql")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Executes statements over a connection of their own.
    static func execute(_ statements: String, at path: String) throws {
        let db = try Database(path: path)
        try db.execute(statements)
        try db.close()
    }
}

extension FileManager {
    /// Makes a path a copy of another one's file or directory.
    func replace(_ target: String, byCopyOf path: String) throws {
        if fileExists(atPath: target) { try removeItem(atPath: target) }
        try copyItem(atPath: path, toPath: target)
    }
}
