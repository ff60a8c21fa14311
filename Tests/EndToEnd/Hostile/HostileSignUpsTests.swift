import FleetClient
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

extension EndToEnd {
    /// The environment variable `SENSIBUS_SIGN_UPS` is the number of seconds that 64 new users flood the
    /// fleet; times are judged only if it is set.
    @Suite("A fleet among hostile accounts from sign-up", .timeLimit(.minutes(10)))
    struct HostileSignUpsTests {
        private static let wanted =
            ProcessInfo.processInfo.environment["SENSIBUS_SIGN_UPS"].flatMap { Double($0) }
        private static let flood = Duration.seconds(wanted ?? 3)
        private static let strangers = wanted == nil ? 8 : 64
        private static let p99AtMost = Duration.milliseconds(250)

        /// The contents of the account with devices.
        private struct Possessions: Equatable {
            var outcomes: [OutcomeReport] = []
            var posts: [Post] = []
            var sites: [SiteReport] = []
        }

        @Test(
            "hostile sign-ups affect neither outcomes, posts, sites and the stream nor toggles of an account")
        func flood() async throws {
            try await Lab.withFleet(gateway: true, ["--allow-signup"]) { lab in
                let directory = RunDirectory(path: lab.runDirectory)
                let before = try await lab.status()
                let neverSeen = Self.newID()
                let (ids, possessions) = try await Self.asOwner(of: directory) { client in
                    let ids = try await Self.fill(client)
                    return (ids, try await Self.possessions(ids, client))
                }
                let calm = try await Self.toggles(lab, during: Self.flood / 4) {}
                let strangers = try await SignedUpStrangers.signUp(
                    Self.strangers, to: try Self.endpoints(of: directory))
                let live = Live(lab, lasting: Self.flood + .seconds(2))
                let own = try StoredSession.read(from: directory.sessionFile).token
                async let ownPage = live.pages(of: [own], named: "own")
                async let others = live.pages(of: strangers.map(\.token), named: "stranger")
                let isOver = Box<Bool>()
                async let asked = Lab.onThread("strangers") {
                    ThreadPriority.giveWay()
                    return try SignedUpStrangers.flood(strangers, "\(directory.path)/clients.sock") {
                        isOver.value == true
                    }
                }
                let flooded = try await Self.toggles(lab, during: Self.flood) { isOver.value = true }
                print("beside \(strangers.count) strangers: \(try await asked)")
                for (when, account) in [("before", calm), ("meanwhile", flooded)] {
                    print(
                        "\(when): \(account.applied) of \(account.asked) toggles applied, p99 \(account.p99)")
                    #expect(account.surprises == [])
                }
                if Self.wanted != nil { #expect(flooded.p99 <= Self.p99AtMost) }
                #expect(try await ownPage.map(\.beginnings) == [1], "the stream continues")
                #expect(try await ownPage.allSatisfy { $0.changes > 0 && !$0.wasEnded })
                #expect(try await others.count { $0.beginnings > 0 } == strangers.count)
                let (left, refusal) = try await Self.asOwner(of: directory) { client in
                    (try await Self.possessions(ids, client), await Self.refusal(of: neverSeen, client))
                }
                #expect(left == possessions)
                #expect(refusal == .notFound, "nothing of the account was forgotten")
                let after = try await lab.status()
                #expect(after.epoch == before.epoch)
                #expect(after.processes.map(\.pid) == before.processes.map(\.pid))
            }
        }

        // MARK: The account with devices

        private static func newID() -> RequestID {
            var generator = SystemRandomNumberGenerator()
            return RequestID(at: SystemClock().now().wall, using: &generator)
        }

        private static func endpoints(of directory: RunDirectory) throws -> FleetClient.Endpoints {
            FleetClient.Endpoints(
                clients: try directory.endpoint(.clients), stream: try directory.endpoint(.stream))
        }

        private static func asOwner<Value: Sendable>(
            of directory: RunDirectory, _ work: (FleetClient) async throws -> Value
        ) async throws -> Value {
            let session = try StoredSession.read(from: directory.sessionFile)
            return try await FleetClient.withClient(
                of: try endpoints(of: directory), threadName: "owner",
                credentials: Credentials(user: session.email, token: session.token),
                clock: { SystemClock().now() }, seed: 1, work)
        }

        /// Toggles, writes posts and describes sites; returns the toggles.
        private static func fill(_ client: FleetClient) async throws -> [RequestID] {
            let devices = try await client.devices().rows.map(\.device)
            var ids: [RequestID] = []
            for number in 0..<100 {
                ids.append(newID())
                let device = devices[number % devices.count]
                _ = try await client.perform(Command(requestID: ids[number], device: device, kind: .toggle))
            }
            let text = String(repeating: "x", count: 4_000)
            for number in 0..<20 {
                let draft = try PostDraft(requestID: newID(), title: "Post \(number)", body: text)
                _ = try await client.write(draft)
                _ = try await client.addSite(try SiteProfile(name: "Site \(number)", description: text))
            }
            return ids
        }

        private static func possessions(_ ids: [RequestID], _ client: FleetClient) async throws -> Possessions
        {
            var found = Possessions()
            for id in ids { found.outcomes.append(try await client.outcome(of: id)) }
            found.posts = try await client.posts(1_000).posts
            found.sites = try await client.sites().sites
            return found
        }

        private static func refusal(of id: RequestID, _ client: FleetClient) async -> Refusal? {
            do throws(FleetError) {
                _ = try await client.outcome(of: id)
                return nil
            } catch {
                if case .refused(let refusal) = error { return refusal }
                return nil
            }
        }

        /// Toggles the account's devices for some time.
        ///
        /// - Parameter end: Called before the wait for the last replies.
        private static func toggles(
            _ lab: Lab, during time: Duration, _ end: () -> Void
        ) async throws -> HonestClient.Account {
            let loot = try lab.loot(try await lab.devices())
            return try await HonestClient.whileToggling(at: try lab.place, loot) { _ in
                await Pace.wait(time)
                end()
            }.1
        }
    }
}

/// Pages that receive the stream of changes.
private struct Live {
    /// What one page has received.
    struct Page {
        /// Messages that made it fetch the whole state.
        let beginnings: Int
        /// Messages about devices.
        let changes: Int
        /// Whether the gateway ended the stream.
        let wasEnded: Bool
    }

    private let lab: Lab
    private let time: Duration

    init(_ lab: Lab, lasting time: Duration) {
        (self.lab, self.time) = (lab, time)
    }

    /// Receives the streams of all of them at the same time.
    func pages(of tokens: [Token], named name: String) async throws -> [Page] {
        let url = try lab.gatewayURL()
        let files = tokens.indices.map { "\(lab.directory)/\(name)-\($0)" }
        let sections = zip(tokens, files).map { token, file in
            """
            url = "\(url)page/live"
            header = "Cookie: sensibus=\(token.bytes.hexadecimal)"
            output = "\(file)"
            max-time = \(time / .seconds(1))
            no-buffer
            write-out = "%{exitcode} "
            silent
            """
        }
        let ended = try await lab.run(
            "/usr/bin/curl",
            ["--parallel", "--parallel-immediate", "--parallel-max", "\(tokens.count)", "--config", "-"],
            input: sections.joined(separator: "\nnext\n"))
        // Those that reach their time limit end with 28; the order of ends may differ from the order of
        // pages.
        let ends = ended.output.split(separator: " ")
        try #require(ends.count == tokens.count, "\(ended.output)\(ended.talk)")
        return zip(files, ends).map { (file: String, end: Substring) -> Page in
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            return Page(
                beginnings: text.matches(of: /event: resync/).count,
                changes: text.matches(of: /event: devices/).count, wasEnded: end != "28")
        }
    }
}
