import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

extension Fixture {
    /// A view of the account `demo`, for a member of it.
    static func view(
        where condition: String = "", eastOfUTC: Duration = .zero, role: Session.Role? = .member
    ) throws -> ViewModel {
        var view = ViewModel(
            account: "demo", condition: try Condition.parse(condition), eastOfUTC: { _ in eastOfUTC },
            random: SeededGenerator(seed: 1))
        if let role { view.become(.signedIn(try #require(Email("demo@sensibus.local")), role)) }
        return view
    }
}

extension ReplicaDriver {
    /// The events so far, as the observer shows them.
    var observerEvents: [ObserverEvent] { events.map { ObserverEvent($0) } }
}
