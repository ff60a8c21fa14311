import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet post write`: writes a post.
struct PostWriteCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a post.",
        discussion: """
            It is kept before the command ends. Sent again under the same request id, it is written once.

            EXAMPLES
              fleet post write "Filters cleaned"
              fleet post write "Rattles at night" --device "Bedroom 7" --body "Since Monday; worse in heat."
              fleet post write "Painters until Friday" --site Home
            """)

    @Argument(help: "One line of at most \(Limits.postTitleBytes) bytes.")
    var title: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What else there is to say, \(Limits.postBodyBytes) bytes at most.", valueName: "text"))
    var body = ""

    @Option(help: .device("The device that it is about"))
    var device: String?

    @Option(help: ArgumentHelp("What it is about: a site.", valueName: "name"))
    var site: String?

    @OptionGroup var options: WritingOptions

    func validate() throws {
        guard device == nil || site == nil else {
            throw ValidationError("a post is about a device or about a site: name one of them")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let post = try await options.write(in: surroundings) { client, id in
            let draft = try PostDraft(
                requestID: id, title: title, body: body,
                subject: try await subject(with: client, in: surroundings))
            return try await client.write(draft)
        }
        surroundings.print(options.json.isWanted ? post.json.line : "post \(post.number) is written")
        return .done
    }

    private func subject(
        with client: FleetClient, in surroundings: Surroundings
    ) async throws -> PostSubject? {
        if let site { return .site(site) }
        guard let device else { return nil }
        let listed = try await DeviceDirectory.search(with: client, in: surroundings) {
            directory throws(CommandFailure) in try directory.device(device)
        }
        return .device(listed.id, name: "")
    }
}
