import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Choosing a password")
struct ChosenPasswordTests {
    private static let reset = TokenDigest([UInt8](repeating: 5, count: 32))

    /// A controller that accepts every way of choosing a password.
    private func bench() throws -> Bench {
        let reset = PasswordReset(
            digest: try #require(Self.reset), email: try #require(Email("viewer@sensibus.local")),
            begunAt: WallTime(unixMilliseconds: 1_800_000_000_000))
        return try Bench.withDevices {
            $0.selfService = SelfService(signsUp: true, resetsPasswords: true)
            $0.passwordResets = [reset]
        }
    }

    /// Chooses the password in every way; returns the requests' correlations.
    private func choose(_ text: String, _ bench: Bench) throws -> [UInt64] {
        let (ann, password) = (try #require(Email("ann@example.com")), try #require(Password(text)))
        let viewer = try #require(Email("viewer@sensibus.local"))
        return [
            bench.ask(.addUser(User(email: ann, role: .member, isOperator: false), password: password)),
            bench.ask(.changePassword(viewer, to: password)),
            bench.ask(.selfService(.signUp(email: ann, password: password)), token: nil),
            bench.ask(.selfService(.resetPassword(to: password)), token: Self.reset),
        ]
    }

    @Test("a password has at least 8 bytes, in every way of choosing one")
    func short() throws {
        let bench = try bench()
        for correlation in try choose("7 bytes", bench) {
            #expect(bench.refusal(of: correlation) == .invalid("password: at least 8 bytes"))
        }
        let isWorking = bench.effects.contains {
            switch $0 {
            case .hashPassword, .checkPassword: true
            default: false
            }
        }
        #expect(!isWorking)
    }

    @Test(
        "an email with characters that a terminal hides is refused, in every way of adding a user",
        arguments: [
            ("an\u{200b}n@example.com", "U+200B"), ("\u{202e}ann@example.com", "U+202E"),
            ("ann@exa\u{ad}mple.com", "U+00AD"),
        ])
    func invisibleEmail(address: String, character: String) throws {
        let bench = try bench()
        let (email, password) = (try #require(Email(address)), try #require(Password("long enough")))
        let added = bench.ask(
            .addUser(User(email: email, role: .member, isOperator: false), password: password))
        let signedUp = bench.ask(.selfService(.signUp(email: email, password: password)), token: nil)
        for correlation in [added, signedUp] {
            #expect(bench.refusal(of: correlation) == .invalid("email: \(character) is not visible"))
        }
    }

    @Test("a password of 8 bytes is accepted, counted in bytes, not characters")
    func longEnough() throws {
        let bench = try bench()
        for correlation in try choose("ääää", bench) { #expect(bench.refusal(of: correlation) == nil) }
    }

    @Test("a shorter password from before the minimum length still logs in")
    func older() throws {
        let bench = try bench()
        let email = try #require(Email("demo@sensibus.local"))
        let login = bench.ask(.login(email: email, password: try #require(Password("short"))), token: nil)
        #expect(bench.refusal(of: login) == nil)
    }
}
