import ArgumentParser
import FleetProtocol
import ObserverCore
import Wording

/// What the options of an observer are made of.
enum Arguments {
    /// An account's name.
    static func account(named name: String) throws -> AccountID {
        guard let account = AccountID(name) else {
            throw ValidationError("an account is 1 to \(Limits.accountBytes) characters of a-z, 0-9 and -")
        }
        return account
    }

    /// A condition that lets devices and events through.
    static func filter(_ text: String) throws -> EventFilter {
        EventFilter(try condition(text))
    }

    /// A condition to wait for.
    static func awaited(_ text: String) throws -> AwaitedCondition {
        guard let condition = try condition(text) else {
            throw ValidationError("there is no condition in it; write one, such as 'device \"Bedroom 7\" on'")
        }
        return AwaitedCondition(condition: condition, text: text)
    }

    /// A duration above zero.
    static func duration(_ text: String) throws -> Duration {
        let duration: Duration
        do throws(DurationText.Invalid) {
            duration = try DurationText.parse(text)
        } catch {
            throw ValidationError(error.description)
        }
        guard duration > .zero else { throw ValidationError("it must be above zero") }
        return duration
    }

    private static func condition(_ text: String) throws -> Condition? {
        do throws(ConditionError) {
            return try Condition.parse(text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}

/// Which fleet is observed, and as whom.
struct AccessOptions: ParsableArguments {
    @Option(help: "Insist that the session is of this account.", transform: Arguments.account(named:))
    var account: AccountID?

    @Option(
        help: "The fleet's run directory; else SENSIBUS_RUN_DIR, else .sensibus here or above.",
        completion: .directory)
    var runDir: String?

    @Option(
        help: "The session's file; else observer-session.json or session.json of the run directory.",
        completion: .file())
    var session: String?
}

/// A condition that somebody waits for, with the text that it was made of.
struct AwaitedCondition: Sendable {
    let condition: Condition
    let text: String
}
