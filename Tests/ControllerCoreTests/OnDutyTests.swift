import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Switching by people on duty and owners only")
struct OnDutyTests {
    private static let kari = "kari@sensibus.local"
    private static let kariToken = TokenDigest.of(7)
    private static let olaToken = TokenDigest.of(8)
    private static let keyDigest = TokenDigest.of(9)

    private let bench = Self.bench()

    /// A bench with two members beside the owner.
    ///
    /// Kari also has an API key.
    private static func bench(isOnDutyOnly: Bool = true) -> Bench {
        Bench.withDevices { configuration in
            configuration.isOnDutyOnly = isOnDutyOnly
            for (address, token) in [(kari, kariToken), ("ola@sensibus.local", olaToken)] {
                configuration.add(Session(valid(Email(address)), .member), digest: token)
            }
            let key = APIKey(name: valid(APIKey.Name("home")), user: valid(Email(kari)), madeAt: Bench.start)
            configuration.keys.append(.init(digest: keyDigest, key: key))
        }
    }

    private func refusal(_ token: TokenDigest?) -> Refusal? {
        bench.refusal(of: bench.toggle(token: token).correlation)
    }

    @Test("members cannot switch without a roster or outside shifts, and the refusal has the reason")
    func noShift() throws {
        #expect(refusal(Self.kariToken) == .offDuty(.noRoster))
        #expect(refusal(Bench.token) == nil)
        bench.importShifts([try bench.shift(Self.kari, 10, 20)])
        #expect(refusal(Self.kariToken) == .offDuty(.noShift))
        #expect(refusal(Bench.viewerToken)?.name == "notAllowed")
        bench.importShifts([try bench.shift("ola@sensibus.local", -1, 20)])
        #expect(refusal(Self.kariToken) == .offDuty(.others))
        #expect(refusal(Self.olaToken) == nil)
    }

    @Test("a member can switch during their shift only, with a session and with an API key")
    func shift() throws {
        bench.importShifts([
            try bench.shift(Self.kari, 1, 2), try bench.shift(Self.kari, 2, 3), try bench.shift("Ola", 0, 9),
        ])
        for (hour, isOnDuty) in [(0.5, false), (1, true), (2, true), (2.99, true), (3, false)] {
            bench.setClock(to: bench.hour(hour))
            for token in [Self.kariToken, Self.keyDigest] {
                #expect((refusal(token) == nil) == isOnDuty, "at \(hour)")
            }
            // A name alone is not a user's login.
            #expect(refusal(Self.olaToken) == .offDuty(.others))
        }
    }

    @Test("a repeat of an admitted request is answered after the shift")
    func repeated() throws {
        bench.importShifts([try bench.shift(Self.kari, -1, 1)])
        let toggle = bench.toggle(token: Self.kariToken)
        bench.setClock(to: bench.hour(2))
        let pending = bench.toggle(id: toggle.id, token: Self.kariToken)
        #expect(bench.refusal(of: pending.correlation) == nil)
        bench.carryOutNewest()
        #expect(bench.outcome(of: toggle.correlation)?.name == "applied")
        let late = bench.toggle(id: toggle.id, token: Self.kariToken)
        #expect(bench.outcome(of: late.correlation)?.name == "applied")
        #expect(refusal(Self.kariToken) == .offDuty(.noShift))
    }

    @Test("users can cancel their own requests after the shift, but not those of others")
    func cancel() throws {
        bench.importShifts([try bench.shift(Self.kari, -1, 1), try bench.shift("ola@sensibus.local", -1, 1)])
        // The second waits behind the first.
        let first = bench.toggle(token: Self.olaToken)
        let second = bench.toggle(token: Self.kariToken)
        bench.setClock(to: bench.hour(2))
        let foreign = bench.ask(.cancel(first.id, timeout: nil), token: Self.kariToken)
        #expect(bench.refusal(of: foreign) == .offDuty(.noShift))
        let own = bench.ask(.cancel(second.id, timeout: nil), token: Self.kariToken)
        #expect(bench.cancelReply(of: own) == .cancelled)
        let unseen = bench.ask(.cancel(bench.newID(), timeout: nil), token: Self.kariToken)
        #expect(bench.cancelReply(of: unseen) == .cancelled)
    }

    @Test("an off-duty user cannot cancel a queued command of another user's queue")
    func cancelWaiting() throws {
        bench.importShifts([try bench.shift("ola@sensibus.local", -1, 20)])
        bench.setConnection(0, false)
        let (id, _) = bench.start(try bench.plan(1), token: Self.olaToken)
        let request = try #require(bench.runningRequest(of: id))
        let foreign = bench.ask(.cancel(request, timeout: nil), token: Self.kariToken)
        #expect(bench.refusal(of: foreign) == .offDuty(.others))
        let own = bench.ask(.cancel(request, timeout: nil), token: Self.olaToken)
        #expect(bench.cancelReply(of: own) == .cancelled)
        bench.passWithPings(.seconds(2))
        #expect(bench.progress(id) == ["cancelled"])
    }

    @Test("an off-duty user cannot change settings")
    func settings() {
        let asked = bench.send(.configure(.noTimer), token: Self.kariToken)
        #expect(bench.refusal(of: asked) == .offDuty(.noRoster))
    }

    @Test("the roster shows whether it is enforced; if not, members can switch without one")
    func off() {
        #expect(bench.roster()?.roster.isEnforced == true)
        let free = Self.bench(isOnDutyOnly: false)
        #expect(free.roster()?.roster.isEnforced == false)
        #expect(free.refusal(of: free.toggle(token: Self.kariToken).correlation) == nil)
    }

    @Test("users on duty start and resume queues, and the user who started one can stop it at any time")
    func commandQueues() throws {
        let karis = try bench.shift(Self.kari, -1, 20)
        bench.importShifts([karis])
        let plan = try bench.plan()
        let (id, started) = bench.start(plan, token: Self.kariToken)
        let (owners, _) = bench.start(plan)
        #expect(bench.queueReply(to: started)?.state == .running)
        #expect(bench.refusal(of: bench.start(plan, token: Self.olaToken).correlation) == .offDuty(.others))
        bench.importShifts([try bench.shift("ola@sensibus.local", -1, 20)])
        // A repeated start is answered, and a running queue can be paused.
        #expect(bench.queueReply(to: bench.start(plan, id: id, token: Self.kariToken).correlation) != nil)
        let paused = bench.steer(id, .pause, token: Self.kariToken)
        #expect(bench.queueReply(to: paused)?.state == .paused)
        let resumed = bench.steer(id, .resume, token: Self.kariToken)
        #expect(bench.refusal(of: resumed) == .offDuty(.others))
        let others = bench.steer(owners, .stop, token: Self.kariToken)
        #expect(bench.refusal(of: others) == .offDuty(.others))
        let stopped = bench.steer(id, .stop, token: Self.kariToken)
        #expect(bench.queueReply(to: stopped)?.state == .stopping)
        let byOla = bench.steer(owners, .cancel, token: Self.olaToken)
        // Its command was still queued behind the other's.
        #expect(bench.queueReply(to: byOla)?.state == .cancelled)
    }
}
