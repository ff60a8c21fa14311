import FleetProtocol
import SequenceFiles
import UserText

extension SequenceFile {
    /// The plan for the file, with the devices of an account.
    ///
    /// - Throws: `CommandFailure` that names the line of a command whose device does not exist, or is
    ///   ambiguous.
    func plan(in directory: DeviceDirectory) throws(CommandFailure) -> SequencePlan {
        var planned: [SequenceCommand] = []
        for command in commands {
            do throws(CommandFailure) {
                planned.append(
                    SequenceCommand(
                        label: command.label, device: try directory.device(command.device).id,
                        kind: command.kind, takes: command.takes))
            } catch {
                let place = [SafeText.of(file), command.line.map(String.init)].compactMap(\.self)
                throw CommandFailure(
                    error.status, "\(place.joined(separator: ":")): \(error.problem)", advice: error.advice)
            }
        }
        do throws(SequencePlanError) {
            return try SequencePlan(commands: planned, onFailure: onFailure)
        } catch {
            throw CommandFailure(.usage, "\(SafeText.of(file)): \(error)", advice: "nothing was started")
        }
    }
}
