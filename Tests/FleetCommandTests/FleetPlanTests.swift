import ArgumentParser
import FleetProtocol
import Foundation
import ProcessSupport
import Testing
import UserFiles

@testable import fleet

@Suite("FleetPlan")
struct FleetPlanTests {
    private func plan(devices: Int, nodes: Int) -> FleetPlan {
        FleetPlan(devices: devices, nodes: nodes, seed: 9, scenario: "lively", restartsNodes: false)
    }

    @Test(
        "devices are divided evenly among nodes, without a gap",
        arguments: [(1, 1), (10, 3), (100, 64), (64, 64), (1_000_000, 7)])
    func shares(devices: Int, nodes: Int) {
        let shares = plan(devices: devices, nodes: nodes).shares
        #expect(shares.map(\.name) == (1...nodes).map { "node-\($0)" })
        var next = 0
        for share in shares {
            #expect(share.firstIndex == next)
            #expect((devices / nodes...devices / nodes + 1).contains(share.devices))
            next += share.devices
        }
        #expect(next == devices)
    }

    @Test("nodes get the absolute path of a scenario file")
    func scenarioFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        defer { _ = Result { try FileManager.default.removeItem(at: file) } }
        try Data("infrared: {loss: 0.1}".utf8).write(to: file)
        let up = try #require(try Fleet.parseAsRoot(["up", "--scenario", file.path()]) as? UpCommand)
        let arguments = try up.arguments(of: .node)
        let option = try #require(arguments.firstIndex(of: "--scenario"))
        #expect(arguments[option + 1] == file.path())
        #expect(try up.fleet.arguments.contains(file.path()))
    }

    @Test("the fleet of a load has the scenario of the option, with its crashes and cloud faults")
    func loadedFleet() throws {
        func plan(_ options: [String]) throws -> FleetPlan? {
            let line = ["load", "--with-fleet", "7"] + options
            let load = try #require(try Fleet.parseAsRoot(line) as? LoadCommand)
            guard case .ownFleet(let plan) = load.target else { return nil }
            return plan
        }
        let quiet = try #require(try plan([]))
        #expect(quiet.scenario == "quiet" && quiet.devices == 7 && !quiet.hasCrashes)
        #expect(quiet.gateway == nil)
        let worst = try #require(try plan(["--scenario", "worst-day", "--target", "http"]))
        #expect(worst.scenario == "worst-day" && worst.hasCrashes)
        #expect(worst.cloudDay == (try ScenarioChoice("worst-day")).cloudDay && worst.cloudDay != CloudDay())
        #expect(worst.gateway?.port == .fixed(0))
    }

    @Test("the gateway gets the options for how it is reached, with an IPv6 address as its host")
    func gatewayArguments() throws {
        let line = "up --gateway-port 80 --host [::1] --public-name a --sensibo-limits --trusted-proxy ::1"
        #expect(
            try Fleet.parsed(line, as: UpCommand.self).arguments(of: .gateway) == [
                "serve", "--run-dir", "/tmp/x", "--port", "80", "--host", "::1", "--public-name", "a",
                "--trusted-proxy", "::1/128", "--sensibo-limits", "--supervisor-pid", "1",
            ])
    }

    @Test("the gateway gets the certificate of --tls-name, and a URL with a name of this machine")
    func certificateArguments() throws {
        let line = "up --gateway-port 443 --tls-name home.sensibo.com --public-name b"
        #expect(
            try Fleet.parsed(line, as: UpCommand.self).arguments(of: .gateway) == [
                "serve", "--run-dir", "/tmp/x", "--port", "443", "--tls-certificate",
                "/tmp/x/certificate.pem", "--tls-key", "/tmp/x/certificate-key.pem", "--public-name",
                "localhost", "--public-name", "home.sensibo.com", "--public-name", "b", "--supervisor-pid",
                "1",
            ])
    }

    @Test("each node's token is in its environment only, not in arguments")
    func tokens() throws {
        let place = try TemporaryRunDirectory()
        let processes = plan(devices: 10, nodes: 2).processes(
            in: place.directory, binaries: "/bin", supervisor: 1, display: .none,
            secret: try place.directory.nodeSecret())
        let tokens = processes.filter { $0.role == .node }.compactMap(\.nodeToken)
        #expect(tokens.count == 2 && tokens[0] != tokens[1])
        #expect(processes.allSatisfy { ($0.nodeToken != nil) == ($0.role == .node) })
        let commandLine = processes.flatMap(\.arguments).joined(separator: " ")
        #expect(tokens.allSatisfy { !commandLine.contains($0.bytes.hexadecimal) })
    }

    @Test(
        "the controller's options are passed to it alone, also to one started later",
        arguments: [
            ["--retention", "2h", "--retention-results", "7"], ["--on-duty-only"],
            ["--allow-signup", "--outbox", "/tmp/outbox"], ["--outbox-command", "/usr/sbin/sendmail -t"],
        ])
    func controllerOptions(options: [String]) throws {
        let up = try #require(try Fleet.parseAsRoot(["up"] + options) as? UpCommand)
        for process in try up.processes {
            let arePassed = process.arguments.contains(options)
            #expect(arePassed == (process.role == .controller), "\(process.arguments)")
        }
        #expect(try up.fleet.arguments.contains(options))
        let others = Set(["--on-duty-only", "--allow-signup"]).subtracting(options)
        #expect(others.isDisjoint(with: try up.arguments(of: .controller)))
    }

    @Test("nodes that start after a change of scenario get the new one, with the first one's population")
    func otherScenario() throws {
        func options(_ plan: FleetPlan) throws -> [String] {
            let processes = plan.processes(
                in: RunDirectory(path: "/tmp/x"), binaries: "/bin", supervisor: 1, display: .none)
            return try #require(processes.first { $0.role == .node }).arguments
        }
        var plan = plan(devices: 10, nodes: 1)
        let before = try options(plan)
        #expect(!before.contains("--population"))
        plan.change(to: "worst-day", hasCrashes: false, dayBeganAt: nil)
        plan.change(to: "/tmp/mine.yaml", hasCrashes: false, dayBeganAt: WallTime(unixMilliseconds: 17))
        let commandLine = try options(plan).joined(separator: " ")
        #expect(commandLine.contains("--day-began-at 17"))
        #expect(commandLine.contains("--scenario /tmp/mine.yaml "))
        #expect(commandLine.contains("--population lively"))
        plan.change(to: "lively", hasCrashes: false, dayBeganAt: nil)
        #expect(try options(plan) == before)
    }

    @Test("scaling up adds a node, scaling down removes from the end, and other devices stay")
    func scale() {
        var plan = plan(devices: 10, nodes: 3)
        let first = plan.shares
        plan.scale(to: 25)
        #expect(plan.shares.prefix(3) == first[...])
        #expect(plan.shares.map(\.firstIndex) == [0, 4, 7, 10])
        #expect(plan.shares.last?.name == "node-4")
        #expect(plan.devices == 25)
        plan.scale(to: 10)
        #expect(plan.shares == first)
        plan.scale(to: 5)
        #expect(plan.shares.map(\.devices) == [4, 1])
        plan.scale(to: 6)
        #expect(plan.shares.map(\.name) == ["node-1", "node-2", "node-3"])
        #expect(plan.shares.map(\.firstIndex) == [0, 4, 5])
        #expect(plan.devices == 6)
    }

    @Test(
        "a larger fleet gets a longer start timeout", arguments: [(100, 30), (20_000, 31), (1_000_000, 80)])
    func timeout(devices: Int, seconds: Int) {
        #expect(plan(devices: devices, nodes: 1).timeout == .seconds(seconds))
    }
}
