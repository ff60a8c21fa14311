import FleetProtocol
import Testing

@Suite("Users on the wire")
struct UserWireTests {
    private static func user(_ email: String, _ role: Session.Role = .member) throws -> User {
        User(email: try #require(Email(email)), role: role, isOperator: role == .owner)
    }

    @Test("every request about users decodes to the encoded value")
    func requests() throws {
        let email = try #require(Email("ann@example.com"))
        let password = try #require(Password("secret"))
        var bodies: [ClientRequest.Body] = [
            .users, .removeUser(email), .changeRole(email, to: .owner),
            .changeRole(email, to: .viewer), .changePassword(email, to: password),
            .changePassword(email, to: password, retainsKeys: true),
        ]
        bodies += try Session.Role.allCases.map { .addUser(try Self.user("a@b", $0), password: password) }
        for body in bodies {
            let request = ClientRequest(correlation: 3, token: Token([UInt8](0..<32)), body: body)
            #expect(try ClientRequest(wireBytes: request.wireBytes) == request)
        }
    }

    @Test("every reply about users decodes to the encoded value")
    func replies() throws {
        let bodies: [ClientReply.Body] = [
            .userAdded(try Self.user("a@b")), .userChanged(try Self.user("a@b", .viewer)), .users([]),
            .users(try Session.Role.allCases.map { try Self.user("\($0)@b", $0) }),
            .userRemoved(sessions: 3), .passwordChanged(sessions: .max),
            .passwordChanged(sessions: 1, keys: 32),
        ]
        for body in bodies {
            let reply = ClientReply(correlation: 4, body: body)
            #expect(try ClientReply(wireBytes: reply.wireBytes) == reply)
        }
    }

    @Test("a full list of the longest emails fits into a message, and a longer list is refused")
    func bound() throws {
        let longest = String(repeating: "x", count: Limits.emailBytes - 2) + "@b"
        let users = Array(repeating: try Self.user(longest, .owner), count: Limits.accountUsers)
        let full = ClientReply(correlation: .max, body: .users(users))
        #expect(full.wireBytes.count <= Limits.chunkBytes)
        #expect(try ClientReply(wireBytes: full.wireBytes) == full)
        let tooMany = Array(repeating: try Self.user("a@b"), count: Limits.accountUsers + 1)
        let bytes = ClientReply(correlation: 1, body: .users(tooMany)).wireBytes
        #expect(throws: WireError.self) { try ClientReply(wireBytes: bytes) }
    }

    @Test("descriptions of user requests do not show passwords")
    func descriptions() throws {
        let email = try #require(Email("a@b"))
        let password = try #require(Password("open sesame"))
        let bodies: [ClientRequest.Body] = [
            .addUser(try Self.user("a@b"), password: password), .changePassword(email, to: password),
        ]
        for body in bodies {
            #expect(!"\(body)".contains("sesame"))
            #expect(!String(reflecting: body).contains("sesame"))
        }
    }
}
