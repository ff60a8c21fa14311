import FleetClient
import FleetProtocol
import UnixSignals
import UserText

/// Sends commands to devices, all at once, and tells how each ended; Ctrl-C takes back what is on its way.
struct RequestRun: Sendable {
    /// One command, with the device as people know it.
    struct Item: Sendable {
        /// The device.
        let device: ListedDevice
        /// What is asked of it.
        let command: Command
    }

    /// The world.
    let surroundings: Surroundings
    /// Whether lines are for scripts.
    let isJSON: Bool
    /// What of the state people are told.
    let wording: StateWording

    private enum Progress {
        case interrupted, ended(ExitStatus)
    }

    /// Carries the commands out, telling each as it ends.
    ///
    /// - Returns: The worst of their statuses.
    func run(_ items: [Item], with client: FleetClient) async -> ExitStatus {
        let signals = await surroundings.stopSignals()
        return await withTaskGroup(of: Progress.self) { group in
            group.addTask { .ended(await perform(items, with: client)) }
            group.addTask {
                for await _ in signals { break }
                return .interrupted
            }
            var status = ExitStatus.done
            for await progress in group {
                group.cancelAll()
                if case .ended(let worst) = progress { status = worst }
            }
            return status
        }
    }

    private func perform(_ items: [Item], with client: FleetClient) async -> ExitStatus {
        await withTaskGroup(of: OutcomeLine.self) { group in
            for item in items {
                group.addTask { await perform(item, with: client) }
            }
            var worst = ExitStatus.done
            for await line in group {
                surroundings.tell(line, asJSON: isJSON, wording)
                worst = max(worst, line.status)
            }
            return worst
        }
    }

    private func perform(_ item: Item, with client: FleetClient) async -> OutcomeLine {
        let ending: OutcomeLine.Ending
        do throws(FleetError) {
            switch try await client.perform(item.command) {
            case .outcome(let report): ending = .report(report)
            case .cancel(let answer): ending = .takenBack(answer)
            }
        } catch {
            ending = OutcomeLine.Ending(error)
        }
        return OutcomeLine(requestID: item.command.requestID, device: item.device, ending: ending)
    }
}
