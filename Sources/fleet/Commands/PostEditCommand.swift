import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet post edit`: changes the text of a post.
struct PostEditCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change the title or the body of a post that you wrote.",
        discussion: """
            Readers see that it was edited, and when. Comments stay.

            EXAMPLES
              fleet post edit 12 --title "Filters cleaned, fan replaced"
              fleet post edit 12 --body ""
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse)
    var post: PostNumber

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "One line of at most \(Limits.postTitleBytes) bytes (default: unchanged).", valueName: "text"))
    var title: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("At most \(Limits.postBodyBytes) bytes (default: unchanged).", valueName: "text"))
    var body: String?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard title != nil || body != nil else {
            throw ValidationError("nothing to change: give --title, --body or both")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let edit: PostEdit
        do throws(LogbookTextError) {
            edit = try PostEdit(number: post, title: title, body: body)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let edited = try await access.aboutPost(post) { try await $0.edit(edit) }
        surroundings.print(json.isWanted ? edited.json.line : "post \(edited.number) is changed")
        return .done
    }
}
