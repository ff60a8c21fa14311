import ArgumentParser
import FleetProtocol
import ProcessSupport
import UserText

enum Arguments {
    static func account(named name: String) throws -> AccountID {
        guard let account = AccountID(name) else {
            throw ValidationError("an account is 1 to \(Limits.accountBytes) characters of a-z, 0-9 and -")
        }
        return account
    }

    static func filter(_ text: String) throws -> EventFilter { EventFilter(try condition(text)) }

    static func awaited(_ text: String) throws -> AwaitedCondition {
        guard let condition = try condition(text) else {
            throw ValidationError("the condition is empty; write one, such as 'device \"Bedroom 7\" on'")
        }
        return AwaitedCondition(condition: condition, text: text)
    }

    static func duration(_ text: String) throws -> Duration {
        let duration: Duration
        do throws(DurationText.Invalid) {
            duration = try DurationText.parse(text)
        } catch {
            throw ValidationError(error.description)
        }
        guard duration > .zero else { throw ValidationError("the duration must be above zero") }
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

struct AccessOptions: ParsableArguments {
    @Option(help: "Use only a session of this account.", transform: Arguments.account(named:))
    var account: AccountID?

    @OptionGroup var runDirectory: RunDirectoryOption

    @Option(
        help: "Session file (default: observer-session.json or session.json in the run directory).",
        completion: .file())
    var session: String?

    /// The connection for a session, to the controller of its cell if there are cells, and the cells.
    func connection(
        of directory: RunDirectory, for session: StoredSession?
    ) throws(RuntimeError) -> (connection: FleetConnection, cells: CellConnections?) {
        let given = try runDirectory.network.connection(of: directory, environment: Environment.current)
        let cells = try CellConnections(
            runDirectory.cells, beside: given, environment: Environment.current,
            workingDirectory: Environment.workingDirectory)
        guard let cells else { return (given, nil) }
        let known = session?.cell.flatMap { cells.knows($0) ? $0 : nil }
        return (try cells.connection(to: known), cells)
    }
}

struct AwaitedCondition: Sendable {
    let condition: Condition
    let text: String
}
