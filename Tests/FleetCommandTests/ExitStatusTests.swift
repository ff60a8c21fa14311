import ArgumentParser
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import Testing

@testable import fleet

@Suite("ExitStatus")
struct ExitStatusTests {
    @Test(
        "each outcome has its documented exit status",
        arguments: [
            (Outcome.applied(.sample), 0), (.unchanged(.sample), 0), (.conflict(.sample), 1),
            (.rejected("too hot"), 1), (.cancelled, 1), (.expired, 1), (.undetermined(.deviceReset), 75),
            (.undetermined(.deviceGone), 75), (.undetermined(.superseded), 75), (.unknown, 75),
        ] as [(Outcome, Int32)])
    func outcomes(outcome: Outcome, expected: Int32) {
        #expect(ExitStatus(outcome).rawValue == expected)
    }

    @Test(
        "each refusal has its documented exit status",
        arguments: [
            (Refusal.offline(lastSeen: nil), 69), (.busy(retryAfter: .seconds(1)), 75),
            (.storageFull(retryAfter: .seconds(1)), 75), (.offDuty(.others), 77),
            (.unauthenticated, 77), (.notFound, 77), (.invalid("what"), 64), (.idMismatch, 64),
            (.idTooOld(behind: .seconds(1)), 64), (.notAllowed("why"), 77),
        ] as [(Refusal, Int32)])
    func refusals(refusal: Refusal, expected: Int32) {
        #expect(ExitStatus(refusal).rawValue == expected)
    }

    @Test("a path that does not exist is a usage error without an error number")
    func noPath() {
        let failure = CommandFailure(RuntimeError.system(operation: "create", path: "/nope/a", errno: ENOENT))
        #expect(failure.status == .usage)
        #expect(
            failure.problem
                == "cannot create /nope/a: No such file or directory; create its directory, or use another")
    }

    @Test(
        "a request cancelled by a signal exits as refused, and a successful cancel command does not",
        arguments: [
            (CancelReply.cancelled, 1, 0), (.tooLate(.sample(.applied(.sample))), 1, 1), (.pending, 75, 75),
        ] as [(CancelReply, Int32, Int32)])
    func cancels(answer: CancelReply, ownCancel: Int32, asked: Int32) {
        #expect(ExitStatus(ownCancel: answer).rawValue == ownCancel)
        #expect(ExitStatus(askedToCancel: answer).rawValue == asked)
    }

    @Test(
        "each failure without an answer has its documented exit status",
        arguments: [
            (FleetError.noReply(waited: .seconds(5)), 75), (.tooManyRequests, 75), (.unexpectedReply, 70),
            (.closed, 70), (.cancelled, 1),
            (.refused(.notFound), 77),
        ] as [(FleetError, Int32)])
    func failures(error: FleetError, expected: Int32) {
        #expect(CommandFailure(error).status.rawValue == expected)
    }

    @Test("the help has a line for each exit status")
    func help() {
        let lines = Fleet.helpMessage(columns: 100).split(separator: "\n").map { $0.drop { $0 == " " } }
        for status in fleet.ExitStatus.allCases {
            #expect(lines.contains { $0.hasPrefix("\(status.rawValue)  ") }, "\(status)")
        }
        #expect(lines.contains("70  internal error; please report it"))
    }

    @Test("the worst of several exit statuses is returned, in the documented order")
    func order() {
        #expect(
            ExitStatus.allCases.shuffled().sorted().map(\.rawValue) == [0, 1, 69, 75, 77, 64, 70, 74, 141])
    }
}
