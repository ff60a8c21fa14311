import FleetProtocol
import UserFiles
import UserText

extension QueueFile {
    /// The plan for the file, with the devices of an account.
    ///
    /// - Throws: `CommandFailure` that names the line of a command whose device does not exist, or is
    ///   ambiguous.
    func plan(in directory: DeviceDirectory) throws(CommandFailure) -> QueuePlan {
        var planned: [QueueCommand] = []
        for command in commands {
            do throws(CommandFailure) {
                planned.append(
                    QueueCommand(
                        label: command.label, device: try directory.device(command.device).id,
                        kind: command.kind, takes: command.takes))
            } catch {
                let place = [SafeText.of(file), command.line.map(String.init)].compactMap(\.self)
                throw CommandFailure(
                    error.status, "\(place.joined(separator: ":")): \(error.problem)", advice: error.advice)
            }
        }
        do throws(QueuePlanError) {
            return try QueuePlan(commands: planned, onFailure: onFailure)
        } catch {
            throw CommandFailure(.usage, "\(SafeText.of(file)): \(error)", advice: "nothing was started")
        }
    }
}
