import FleetClient
import FleetProtocol
import ProcessSupport
import UnixSignals
import UserText

/// Sends commands to devices at the same time, and reports each result; Ctrl-C cancels the pending ones.
struct RequestRun: Sendable {
    struct Item: Sendable {
        let device: ListedDevice
        let command: Command
    }

    let surroundings: Surroundings
    let isJSON: Bool
    let wording: StateWording

    private enum Progress {
        case interrupted, ended(ExitStatus)
    }

    /// Sends the commands, prints each result as it arrives, and returns the worst exit status. Throws the
    /// first error of the output, once all have ended.
    func run(_ items: [Item], with client: FleetClient) async throws -> ExitStatus {
        let signals = await surroundings.stopSignals()
        return try await withThrowingTaskGroup(of: Progress.self) { group in
            group.addTask { .ended(try await perform(items, with: client)) }
            group.addTask {
                for await _ in signals { break }
                return .interrupted
            }
            var status = ExitStatus.done
            for try await progress in group {
                group.cancelAll()
                if case .ended(let worst) = progress { status = worst }
            }
            return status
        }
    }

    private func perform(_ items: [Item], with client: FleetClient) async throws -> ExitStatus {
        try await withThrowingTaskGroup(of: OutcomeLine.self) { group in
            for item in items {
                group.addTask { await perform(item, with: client) }
            }
            var worst = ExitStatus.done
            var failure: CommandFailure?
            for try await line in group {
                do throws(CommandFailure) {
                    try surroundings.report(line, asJSON: isJSON, wording)
                } catch {
                    failure = failure ?? error
                }
                worst = max(worst, line.status)
            }
            if let failure { throw failure }
            return worst
        }
    }

    private func perform(_ item: Item, with client: FleetClient) async -> OutcomeLine {
        let completion: OutcomeLine.Completion
        do throws(FleetError) {
            switch try await client.perform(item.command) {
            case .outcome(let report): completion = .report(report)
            case .cancel(let answer): completion = .ownCancel(answer)
            }
        } catch {
            completion = OutcomeLine.Completion(error)
        }
        return OutcomeLine(requestID: item.command.requestID, device: item.device, completion: completion)
    }
}

extension Surroundings {
    /// Prints the result of a request. JSON and the text of successful requests go to standard output, other
    /// text to standard error.
    func report(
        _ line: OutcomeLine, asJSON isJSON: Bool, _ wording: StateWording = .power
    ) throws(CommandFailure) {
        if isJSON {
            try self.print(line.json.line)
        } else if line.isResult {
            try self.print(Program.worded(line.text(wording)))
        } else {
            notify(line.text(wording))
        }
    }
}
