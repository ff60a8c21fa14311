import FleetProtocol
import Testing

@Suite("Sign-up and password reset on the wire")
struct SelfServiceWireTests {
    private static func requests() throws -> [SelfServiceRequest] {
        let email = try #require(Email("ann@example.com"))
        let password = try #require(Password("open sesame"))
        let source = try #require(LoginSource("2001:db8::1"))
        return [
            .availability, .signUp(email: email, password: password),
            .signUp(email: email, password: password, source: source), .forgotPassword(email),
            .forgotPassword(email, source: source), .resetPassword(to: password),
            .resetPassword(to: password, retainsKeys: true),
        ]
    }

    @Test("the network of a login source is the text before the first space")
    func network() throws {
        let source = try #require(LoginSource("2001:db8:1::/48 2001:db8:1:2::/64"))
        #expect(source.network == LoginSource("2001:db8:1::/48"))
        #expect(try #require(LoginSource("192.0.2.1")).network == nil)
        #expect(try #require(LoginSource(" x")).network == nil)
    }

    @Test("every sign-up and reset request, with or without a token, decodes to the encoded value")
    func requests() throws {
        for body in try Self.requests() {
            for token in [nil, Token([UInt8](0..<32))] {
                let request = ClientRequest(correlation: 3, token: token, body: .selfService(body))
                #expect(try ClientRequest(wireBytes: request.wireBytes) == request)
            }
        }
    }

    @Test("every sign-up and reset reply decodes to the encoded value")
    func replies() throws {
        let email = try #require(Email("ann@example.com"))
        let bodies: [SelfServiceReply] =
            [
                .resetRequested, .passwordReset(email, sessions: 0),
                .passwordReset(email, sessions: 64, keys: 32),
            ]
            + [(false, false), (true, false), (false, true), (true, true)].map {
                .availability(SelfService(signsUp: $0.0, resetsPasswords: $0.1))
            }
        for body in bodies {
            let reply = ClientReply(correlation: 4, body: .selfService(body))
            #expect(try ClientReply(wireBytes: reply.wireBytes) == reply)
        }
    }

    @Test("descriptions of sign-up and reset requests do not show passwords")
    func descriptions() throws {
        for request in try Self.requests() {
            #expect(!"\(request)".contains("sesame"))
            #expect(!String(reflecting: request).contains("sesame"))
        }
    }

    @Test("a token is 64 hexadecimal digits, and other text is refused")
    func tokens() {
        let digits = String(repeating: "5e", count: 32)
        #expect(Token(hexadecimal: digits) == Token([UInt8](repeating: 0x5e, count: 32)))
        let most = String(digits.dropLast())
        for text in ["", "5e", digits + "5e", most + "g", most + "é"] {
            #expect(Token(hexadecimal: text) == nil)
        }
    }
}
