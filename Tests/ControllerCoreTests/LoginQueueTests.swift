import FleetProtocol
import Testing

@testable import ControllerCore

/// Floods of wrong passwords with an honest user among them: the queue alone, and a worker that takes 60 ms
/// for a check.
@Suite("The login queue under attack")
struct LoginQueueTests {
    /// The senders of wrong passwords, 500 a second.
    enum Attack: CaseIterable, Sendable {
        /// From 50 sources, all with the user's email.
        case usersAddress
        /// From 50 sources, each attempt with another email.
        case anyAddress
        /// From the source that the user logs in from, each attempt with another email.
        case usersSource
        /// The first and the third at once.
        case usersAddressAndSource
        /// Each attempt on a connection of its own, with the user's email.
        case newConnections
        /// The same, and each claims to log in for the user's source.
        case claimedSource
    }

    /// A queue, its worker, and a clock.
    private struct Siege {
        static let step: Duration = .milliseconds(2)
        static let check: Duration = .milliseconds(60)

        var queue = LoginQueue()
        var now = Moment(monotonic: .zero, wall: Bench.start)
        var checkEndsAt = MonotonicTime.zero
        var guesses: [Email: [MonotonicTime]] = [:]
        /// The correlations of refused and of successful logins.
        var busy: Set<UInt64> = []
        var opened: Set<UInt64> = []
        let user = Email.demo
        let gateway = ConnectionID(high: 1, low: 0)

        /// Sends a login: one with an odd correlation has the right password.
        mutating func send(
            _ correlation: UInt64, _ email: Email, behind source: String?, on connection: ConnectionID? = nil,
            for purpose: LoginQueue.Purpose = .session
        ) {
            let waiter = Waiter(connection: connection ?? gateway, correlation: correlation)
            let password = purpose == .reset ? nil : Password("open sesame")
            let refused = queue.enqueue(
                waiter, source.flatMap(LoginSource.init), for: purpose, email: email, password: password,
                at: now.monotonic)
            if let refused { busy.insert(refused.correlation) }
            begin()
        }

        mutating func advance() {
            now = now.advanced(by: Self.step)
            if let (ticket, login) = queue.checking, checkEndsAt <= now.monotonic {
                let isRight = login.waiter.correlation % 2 == 1
                var effects = Controller.Effects()
                _ = queue.finish(ticket, at: now, into: &effects) {
                    $0.purpose == .reset ? .counted : isRight ? .forgiven : .failed
                }
                if isRight {
                    opened.insert(login.waiter.correlation)
                } else {
                    guesses[login.email, default: []].append(now.monotonic)
                }
            }
            begin()
        }

        private mutating func begin() {
            guard queue.next(at: now.monotonic) != nil else { return }
            checkEndsAt = now.monotonic.advanced(by: Self.check)
        }

        /// The time that the user waits who sends the right password now.
        mutating func wait(for correlation: UInt64, limit: Duration) -> Duration {
            let start = now.monotonic
            while !opened.contains(correlation), start.duration(to: now.monotonic) < limit { advance() }
            return start.duration(to: now.monotonic)
        }
    }

    private func email(_ number: UInt64) -> Email { valid(Email("user\(number)@example.com")) }

    private func send(_ attack: Attack, _ number: UInt64, to siege: inout Siege) {
        let source = "10.0.0.\(number % 50)"
        switch attack {
        case .usersAddress: siege.send(number * 2, siege.user, behind: source)
        case .anyAddress: siege.send(number * 2, email(number), behind: source)
        case .usersSource: siege.send(number * 2, email(number), behind: "192.0.2.1")
        case .usersAddressAndSource:
            send(number.isMultiple(of: 2) ? .usersAddress : .usersSource, number, to: &siege)
        case .newConnections, .claimedSource:
            siege.send(
                number * 2, siege.user, behind: attack == .claimedSource ? "192.0.2.1" : nil,
                on: ConnectionID(high: 2, low: number))
        }
    }

    @Test(
        "an honest login takes at most 2 s among 10,000 wrong passwords, and one a second is checked",
        arguments: Attack.allCases)
    func honest(attack: Attack) {
        var siege = Siege()
        // The user has logged in from there before.
        siege.send(1, siege.user, behind: "192.0.2.1")
        #expect(siege.wait(for: 1, limit: .seconds(1)) < .milliseconds(100))
        var waiting: (correlation: UInt64, since: MonotonicTime)?
        var waits: [Duration] = []
        for number in UInt64(1)...11_500 {
            if number <= 10_000 { send(attack, number, to: &siege) }
            siege.advance()
            if number <= 10_000, number % 1_900 == 100 {
                waiting = (number * 2 + 1, siege.now.monotonic)
                siege.send(number * 2 + 1, siege.user, behind: "192.0.2.1")
            }
            if let (correlation, since) = waiting, siege.opened.contains(correlation) {
                waits.append(since.duration(to: siege.now.monotonic))
                waiting = nil
            }
        }
        #expect(waits.count == 6, "a login was not answered: \(waits)")
        #expect(waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
        for (email, times) in siege.guesses {
            for (one, next) in zip(times, times.dropFirst()) {
                #expect(one.duration(to: next) >= .seconds(1), "two guesses for \(email)")
            }
        }
        #expect(siege.busy.count > 5_000)
    }

    @Test(
        "a first login takes at most 2 s beside attempts from many sources of one network",
        arguments: [LoginQueue.Purpose.session, .signUp, .reset])
    func oneNetwork(purpose: LoginQueue.Purpose) {
        var siege = Siege()
        var waits: [Duration] = []
        for number in UInt64(1)...5_000 {
            let group = String(number, radix: 16)
            siege.send(
                number * 2, email(number),
                behind: "2001:db8:1::/48 2001:db8:1:\(group)::/64", for: purpose)
            siege.advance()
            guard number.isMultiple(of: 1_000) else { continue }
            siege.send(number * 2 + 1, siege.user, behind: "192.0.2.\(number / 1_000)")
            waits.append(siege.wait(for: number * 2 + 1, limit: .seconds(5)))
        }
        #expect(waits.count == 5 && waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
    }

    @Test("password reset requests from any sources do not delay a first login")
    func passwordResets() {
        var siege = Siege()
        let other = valid(Email("other@example.com"))
        var waits: [Duration] = []
        for number in UInt64(1)...1_000 {
            siege.send(number * 2, other, behind: "10.0.\(number / 250).\(number % 250)", for: .reset)
            siege.advance()
            guard number.isMultiple(of: 200) else { continue }
            siege.send(number * 2 + 1, siege.user, behind: "192.0.2.\(number / 200)")
            waits.append(siege.wait(for: number * 2 + 1, limit: .seconds(5)))
        }
        #expect(waits.count == 5 && waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
    }

    @Test("the newest of several logins of one source with one email is checked first")
    func newest() {
        var siege = Siege()
        for number in UInt64(1)...20 { siege.send(number * 2, siege.user, behind: "192.0.2.1") }
        for _ in 0..<200 { siege.advance() }
        siege.send(101, siege.user, behind: "192.0.2.1")
        #expect(siege.wait(for: 101, limit: .seconds(3)) <= .seconds(2))
    }

    @Test("wrong passwords that wait already are not preferred to the user's login")
    func leftBehind() {
        var siege = Siege()
        for number in UInt64(1)...50 { siege.send(number * 2, siege.user, behind: "10.0.0.\(number)") }
        siege.send(1, siege.user, behind: "192.0.2.1")
        var waits = [siege.wait(for: 1, limit: .seconds(5))]
        for round in UInt64(0)..<5 {
            let honest = 1_001 + round * 200
            for number in UInt64(1)...20 {
                siege.send(honest + 1 + 2 * number, siege.user, behind: "192.0.2.1")
            }
            siege.send(honest + 100, siege.user, behind: "a browser that is known")
            waits.append(siege.wait(for: honest + 100, limit: .seconds(5)))
        }
        #expect(waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
    }

    @Test("a login that waits for its email and source is not overtaken by those that need only one")
    func reserved() {
        var siege = Siege()
        siege.send(1, siege.user, behind: "192.0.2.1")
        _ = siege.wait(for: 1, limit: .seconds(1))
        var waits: [Duration] = []
        for round in UInt64(0)..<20 {
            for number in 0..<UInt64(20) {
                send(.usersAddress, round * 40 + number, to: &siege)
                send(.usersSource, round * 40 + 20 + number, to: &siege)
            }
            let honest = 10_001 + round * 2
            siege.send(honest, siege.user, behind: "192.0.2.1")
            waits.append(siege.wait(for: honest, limit: .seconds(5)))
        }
        #expect(waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
    }

    @Test("the table of attempts is bounded, and a source that has logged in stays first after a flood")
    func bounded() {
        var siege = Siege()
        siege.send(3, siege.user, behind: "192.0.2.1")
        _ = siege.wait(for: 3, limit: .seconds(1))
        for number in UInt64(1)...9_000 {
            siege.send(number * 2, email(number), behind: "10.\(number % 250).0.\(number / 250)")
        }
        siege.send(1, siege.user, behind: "192.0.2.1")
        #expect(siege.wait(for: 1, limit: .seconds(2)) <= .milliseconds(200))
    }

    @Test("a flood with other emails does not clear the delay of the next guess")
    func remembered() throws {
        var siege = Siege()
        siege.send(2, siege.user, behind: "10.0.0.1")
        while siege.guesses[siege.user] == nil { siege.advance() }
        for number in UInt64(1)...9_000 {
            siege.send(100 + number * 2, email(number), behind: "10.0.0.2")
        }
        siege.send(4, siege.user, behind: "10.0.0.3")
        while siege.guesses[siege.user]?.count == 1 { siege.advance() }
        let times = try #require(siege.guesses[siege.user])
        #expect(times[0].duration(to: times[1]) >= .seconds(1))
    }
}
