import ControllerCore
import DeviceCore
import FleetProtocol
import Testing
import VirtualFleet

/// A controller and a node in one value: requests, a day in a moment, and the same day from the same seed.
@Suite("Virtual fleet")
struct VirtualFleetTests {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_774_742_400_000))
    private static let client = ConnectionID(high: 9, low: 9)

    private let digest: TokenDigest
    private let session: Session

    init() throws {
        digest = try #require(TokenDigest([UInt8](repeating: 7, count: 32)))
        session = Session(
            account: try #require(AccountID("demo")), email: try #require(Email("demo@sensibus.local")),
            role: .owner, isOperator: true)
    }

    private func fleet(
        devices: Int = 20, scenario: Scenario = .quiet, seed: UInt64 = 1
    ) throws -> VirtualFleet {
        let user = ControllerConfiguration.User(session: session, passwordHash: "secret")
        let controller = ControllerConfiguration(
            epoch: Epoch(1), users: [user],
            sessions: [.init(digest: digest, email: session.email, openedAt: Self.start.wall)], seed: seed)
        let node = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: session.account, devices: devices, seed: seed,
            scenario: scenario)
        let token = try #require(Token([UInt8](repeating: 1, count: Token.length)))
        let digest = digest
        return VirtualFleet(
            VirtualFleet.Configuration(
                node: node, controller: controller, readScenario: { $0 == "lively" ? .lively : nil },
                makeToken: { FreshToken(token, digest: digest) }),
            at: Self.start)
    }

    private func ask(_ body: ClientRequest.Body, of fleet: inout VirtualFleet) -> ClientReply.Body? {
        fleet.receive(
            ClientRequest(correlation: 1, token: nil, body: body), from: Self.client, digest: digest)
        return fleet.drain().replies.last?.reply.body
    }

    private func rows(of fleet: inout VirtualFleet) throws -> [SnapshotChunk.Row] {
        guard case .snapshot(let chunk)? = ask(.snapshot(cursor: 0), of: &fleet) else {
            Issue.record("no snapshot")
            return []
        }
        return chunk.rows
    }

    private func request(_ kind: Command.Kind, of device: DeviceID, at time: WallTime) -> Command {
        var random = SeededGenerator(seed: 3)
        return Command(
            requestID: RequestID(at: time, using: &random), device: device, kind: kind,
            timeout: .seconds(5))
    }

    /// The newest presence of the node in the updates; nil without any.
    private func presence(in output: VirtualFleet.Output) -> Presence.Kind? {
        output.updates.compactMap { sent in
            if case .node(let node, _) = sent.update.body { node.presence.kind } else { nil }
        }.last
    }

    @Test("its devices are online at once, and a toggle is carried out without any time")
    func toggle() throws {
        var fleet = try fleet(devices: 3)
        #expect(Self.start.monotonic.duration(to: fleet.now.monotonic) < .seconds(1))
        let device = try #require(try rows(of: &fleet).first).device
        let now = fleet.now
        guard
            case .outcome(let report)? = ask(.command(request(.toggle, of: device, at: now.wall)), of: &fleet)
        else {
            Issue.record("no outcome")
            return
        }
        #expect(report.outcome.state?.state.isOn == true)
        #expect(fleet.now == now)
        #expect(try rows(of: &fleet).first?.reported.state.isOn == true)
    }

    @Test("a day of 5 devices is their measurements each 90 s, and the devices stay online")
    func day() throws {
        var fleet = try fleet(devices: 5)
        let clock = ContinuousClock()
        let took = clock.measure { fleet.advance(to: .zero.advanced(by: .seconds(86_400))) }
        print("measured: a day of 5 devices took \(took)")
        let output = fleet.drain()
        var measured = 0
        for sent in output.updates {
            if case .measured(let devices) = sent.update.body { measured += devices.count }
        }
        #expect((4_800...4_815).contains(measured), "\(measured) measurements")
        #expect(fleet.now.wall == Self.start.wall.advanced(by: .seconds(86_400)))
        #expect(try rows(of: &fleet).allSatisfy(\.isConnected))
    }

    @Test("the same seed gives the same day, and another one another day")
    func seeds() throws {
        func day(_ seed: UInt64) throws -> [String] {
            var fleet = try fleet(devices: 5, scenario: .lively, seed: seed)
            fleet.advance(to: .zero.advanced(by: .seconds(900)))
            return fleet.drain().updates.map { "\($0.update)" }
        }
        let first = try day(1)
        #expect(first.count > 100)
        #expect(try day(1) == first)
        #expect(try day(2) != first)
    }

    @Test("a node that crashes is away until it starts again, with the same states")
    func crash() throws {
        var fleet = try fleet(devices: 2)
        let device = try #require(try rows(of: &fleet).first).device
        _ = ask(.command(request(.toggle, of: device, at: fleet.now.wall)), of: &fleet)
        let order = ClientRequest.Body.inject(.crash, devices: [device], duration: .zero, delay: .zero)
        fleet.receive(
            ClientRequest(correlation: 2, token: nil, body: order), from: Self.client, digest: digest)
        guard case .offline? = presence(in: fleet.drain()) else {
            Issue.record("the node is not away")
            return
        }
        fleet.advance(to: fleet.now.monotonic.advanced(by: .seconds(6)))
        #expect(presence(in: fleet.drain()) == .online)
        #expect(try rows(of: &fleet).first?.reported.state.isOn == true)
    }
}
