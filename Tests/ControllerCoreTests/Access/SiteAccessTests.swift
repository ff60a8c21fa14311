import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

/// Every account × role × site request: its reply, and what the reply reveals of other accounts.
@Suite("Access to sites by account and role")
struct SiteAccessTests {
    /// The requests, about a site and a device of an account.
    enum Question: CaseIterable, Sendable {
        case list, byID, byName, devices, assignments, add, change, remove, assign, unassign

        var isReading: Bool {
            switch self {
            case .list, .byID, .byName, .devices, .assignments: true
            case .add, .change, .remove, .assign, .unassign: false
            }
        }

        func request(about site: Site, _ device: DeviceID) throws -> SiteRequest {
            switch self {
            case .list: .list(page: 1, size: 100)
            case .byID: .site(.id(site.id))
            case .byName: .site(.name(site.profile.name))
            case .devices: .devices(site.id, cursor: 0)
            case .assignments: .assignments(after: nil)
            case .add: .add(try SiteProfile(name: "New"))
            case .change: .change(site.id, from: site.version, to: try SiteProfile(name: "Changed"))
            case .remove: .remove(site.id)
            case .assign: .assign([device], to: site.id)
            case .unassign: .assign([device], to: nil)
            }
        }
    }

    private let bench: Bench
    /// A site of each account, with the account's secret in it.
    private let sites: [String: Site]
    private let device = Bench.device(0)

    init() throws {
        bench = Bench.withAskers()
        var sites: [String: Site] = [:]
        for account in Asker.accounts {
            let owner = Asker(account: account, role: .owner)
            let profile = try SiteProfile(name: "Site of \(account)", description: "secret of \(account)")
            let reply = try bench.answer(to: SiteRequest.add(profile), token: owner.token)
            guard case .site(let report) = reply else { continue }
            sites[account] = report.site
        }
        self.sites = sites
        // The node's devices belong to demo.
        let owner = Asker(account: "demo", role: .owner)
        try bench.answer(to: SiteRequest.assign([device], to: sites["demo"]?.id), token: owner.token)
        bench.effects = []
    }

    @Test(
        "no account and role can read or change sites without permission",
        arguments: Asker.all, Question.allCases)
    func matrix(asker: Asker, question: Question) throws {
        for owner in Asker.accounts {
            let site = try #require(sites[owner])
            let request = try question.request(about: site, device)
            let reply = try bench.answer(to: .sites(request), of: asker)
            expect(reply, to: question, by: asker, about: owner)
            bench.effects = []
        }
        try expectUntouched(by: asker)
    }

    private func expect(
        _ reply: ClientReply.Body, to question: Question, by asker: Asker, about owner: String
    ) {
        guard let role = asker.role else {
            #expect(reply == .refusal(.unauthenticated))
            return
        }
        guard question.isReading || role == .owner else {
            #expect(reply.refusal?.kind == "notAllowed", "\(reply)")
            #expect(bench.recordChanges.isEmpty)
            return
        }
        let isOwn = asker.account == owner
        switch question {
        // Requests about the whole account are answered for the asker's own account.
        case .list, .assignments, .add: break
        // The device belongs to demo, whichever account the site has.
        case .unassign: if asker.account != "demo" { #expect(reply == .refusal(.notFound)) }
        case .assign:
            if !isOwn || asker.account != "demo" { #expect(reply == .refusal(.notFound)) }
        case .byID, .byName, .devices, .change, .remove:
            if !isOwn { #expect(reply == .refusal(.notFound)) }
        }
        let other = asker.account == "demo" ? "other" : "demo"
        #expect(!reply.text.contains("secret of \(other)"))
        #expect(!reply.text.contains("Site of \(other)"))
        for record in bench.recordChanges {
            #expect(record.account.name == asker.account, "\(record) is another account's")
        }
    }

    /// The other account's site is unchanged, and so is demo's device if the asker is not of demo.
    private func expectUntouched(by asker: Asker) throws {
        for owner in Asker.accounts where owner != asker.account || asker.role != .owner {
            let site = try #require(sites[owner])
            let token = Asker(account: owner, role: .viewer).token
            let reply = try bench.answer(to: SiteRequest.site(.id(site.id)), token: token)
            guard case .site(let report) = reply else { throw Bench.Refused(refusal: nil) }
            #expect(report.site == site)
            #expect(report.devices == (owner == "demo" ? 1 : 0))
        }
    }
}
