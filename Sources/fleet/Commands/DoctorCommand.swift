import ArgumentParser
import FleetProtocol
import Runtime
import Wording

/// `fleet doctor`: what is wrong, and how to mend it.
struct DoctorCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at libraries, limits, permissions and processes: what is wrong, and how to mend it.",
        discussion: """
            Each line begins with ok, warning or problem. It changes nothing. Exits with 1 \
            when there is a problem, and with 0 otherwise.

            EXAMPLES
              fleet doctor
              fleet doctor --json | jq -r 'select(.level != "ok") | .advice'
            """)

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory: RunDirectory?
        do throws(RuntimeError) {
            // A directory that cannot be trusted is a finding, too.
            directory = try surroundings.uncheckedRunDirectory(runDirectory)
        } catch {
            // Before its first start there is no run directory, unless one was named.
            guard case .noFleet = error, runDirectory.path == nil else { throw error }
            directory = nil
        }
        let examination = Examination(surroundings: surroundings)
        let machine = await examination.machine(for: directory)
        var fleet: FleetFacts?
        if let directory { fleet = await examination.fleet(in: directory) }
        let findings = Checkup.findings(machine, fleet)
        for finding in findings {
            for line in json.isWanted ? [finding.json.line] : finding.lines { surroundings.print(line) }
        }
        return findings.contains { $0.level == .problem } ? .refused : .done
    }
}
