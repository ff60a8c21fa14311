import FleetProtocol
import Stepping

/// A request that has not had all of its answers.
struct Outstanding: Sendable {
    /// What happens to a request besides being sent.
    enum Fate: Sendable {
        /// Nothing.
        case plain
        /// It is sent a second time.
        case retried
        /// It is taken back.
        case cancelled
    }

    /// Its identity.
    let requestID: RequestID
    /// The device that is asked.
    let device: DeviceID
    /// Over which connection it leaves.
    let connection: Int
    /// When it was due: its clock starts here, whatever the tester or the fleet was doing.
    let intended: MonotonicTime
    /// Whether it is a part of the measurement, or of the warm-up.
    let isMeasured: Bool
    /// What happens to it besides.
    let fate: Fate
    /// How long after it left that happens.
    let followUpDelay: Duration

    /// When it left; nil until then.
    var leftAt: MonotonicTime?
    /// When its repeat or its cancel left; nil until then.
    var followedAt: MonotonicTime?
    /// Which of its messages were answered.
    var answered = LoadMessage.Parts()

    /// Whether it is known what became of the request: itself or its repeat was answered.
    var isAnswered: Bool { answered.contains(.command) || answered.contains(.retry) }

    /// Whether nothing more is to come.
    var isComplete: Bool {
        switch fate {
        case .plain: answered.contains(.command)
        case .retried: answered.contains(.command) && answered.contains(.retry)
        case .cancelled: answered.contains(.command) && answered.contains(.cancel)
        }
    }
}
