import FleetProtocol
import Stepping

extension Supervision {
    /// What happens.
    enum Event: Equatable, Sendable {
        /// A process was started.
        case started(String, processID: Int32)
        /// A process ended, or could not be started; and whether it had begun to serve before.
        case ended(String, ProcessEnd, hasServed: Bool = false)
        /// Every device has come up.
        case becameReady
        /// The fleet did not get ready in time; why, in words.
        case wasLate(String)
        /// Somebody asks; the ticket goes back with the answer.
        case asked(SupervisorRequest, ticket: UInt64)
        /// What there is of the machine: told before somebody's wish for another size.
        case saw(MachineLimits)
        /// Whether nodes die by themselves in a scenario: told before somebody's wish for it.
        case read(hasCrashes: Bool)
        /// The fleet is to end.
        case endWanted
        /// A moment asked for has come.
        case timePassed
    }

    /// What is to be done.
    enum Effect: Equatable, Sendable {
        /// Start that process.
        case start(String)
        /// End that process: SIGTERM, and SIGKILL after ``SupervisionPolicy/grace``.
        case end(String)
        /// Tell me when that moment has come.
        case wake(MonotonicTime)
        /// Give that answer.
        case answer(UInt64, SupervisorReply)
        /// Tell whoever started the fleet that it is ready.
        case announce
        /// Tell people.
        case say(String)
    }

    /// Where the fleet stands.
    enum Phase: Equatable, Sendable {
        /// Not every device has been online yet: a death is a failure to start.
        case starting
        /// Ready.
        case running
        /// Those of that role are ending, and are waited for until that moment.
        case ending(ProcessRole, until: MonotonicTime)
        /// Nothing is left.
        case ended
    }

    /// Why a fleet did not get ready.
    struct Failure: Equatable, Sendable {
        /// The reason in words.
        let words: String
        /// Whose log tells more; nil when it is nobody's in particular.
        let process: String?
    }
}
