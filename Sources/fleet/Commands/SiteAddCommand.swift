import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet site add`: makes a site.
struct SiteAddCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a site.",
        discussion: """
            It is kept before the command ends. The same typed again makes no second one; no two sites of \
            an account have the same name. An account has \(Limits.accountSites) at most.

            EXAMPLES
              fleet site add "Mill Lane 4"
              fleet site add Quay --address "Gate 3" --city Sydney --country AU --time-zone Australia/Sydney
            """)

    @Argument(help: "One line of at most \(Limits.nameBytes) bytes.")
    var name: String

    @OptionGroup var options: SiteOptions
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let profile = try options.profile(named: name)
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let report = try await access.withSession { try await $0.addSite(profile) }
        surroundings.print(
            json.isWanted ? report.json.line : "\(SafeText.of(name)) is a site (\(report.site.id))")
        return .done
    }
}
