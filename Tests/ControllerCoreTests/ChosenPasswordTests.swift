import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Choosing a password")
struct ChosenPasswordTests {
    /// A controller that accepts every way of choosing a password.
    private let bench = Bench.withDevices {
        $0.selfService = SelfService(signsUp: true, resetsPasswords: true)
        $0.passwordResets = [PasswordReset(digest: .of(5), email: .viewer, begunAt: Bench.start)]
    }

    private func add(_ email: Email, _ password: Password) -> UInt64 {
        bench.ask(.addUser(User(email: email, role: .member, isOperator: false), password: password))
    }

    private func signUp(_ email: Email, _ password: Password) -> UInt64 {
        bench.ask(.selfService(.signUp(email: email, password: password)), token: nil)
    }

    /// The refusals of the password, in each way of choosing it.
    private func refusals(of text: String) -> [Refusal?] {
        let password = valid(Password(text))
        let requests = [
            add(.ann, password), signUp(.ann, password), bench.ask(.changePassword(.viewer, to: password)),
            bench.ask(.selfService(.resetPassword(to: password)), token: .of(5)),
        ]
        return requests.map(bench.refusal(of:))
    }

    @Test("a password has at least 8 bytes, in every way of choosing one")
    func short() {
        #expect(Set(refusals(of: "7 bytes")) == [.invalid("password: at least 8 bytes")])
        #expect(bench.hashings.isEmpty && bench.checks.isEmpty)
    }

    @Test(
        "an email with characters that a terminal hides is refused, in every way of adding a user",
        arguments: [
            ("an\u{200b}n@example.com", "U+200B"), ("\u{202e}ann@example.com", "U+202E"),
            ("ann@exa\u{ad}mple.com", "U+00AD"),
        ])
    func invisibleEmail(address: String, character: String) {
        let email = valid(Email(address))
        for correlation in [add(email, .secret), signUp(email, .secret)] {
            #expect(bench.refusal(of: correlation) == .invalid("email: \(character) is not visible"))
        }
    }

    @Test("a password of 8 bytes is accepted, counted in bytes, not characters")
    func longEnough() {
        #expect(Set(refusals(of: "ääää")) == [nil])
    }

    @Test("a shorter password from before the minimum length still logs in")
    func older() {
        #expect(bench.refusal(of: bench.login(password: valid(Password("short")))) == nil)
    }
}
