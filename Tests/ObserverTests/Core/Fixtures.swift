import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

extension Fixture {
    /// A view of the account `demo`, for a member of it.
    static func view(filter: DeviceFilter = .all, role: Session.Role? = .member) throws -> ViewModel {
        var view = ViewModel(account: "demo", filter: filter, random: SeededGenerator(seed: 1))
        if let role { view.become(.signedIn(try #require(Email("demo@sensibus.local")), role)) }
        return view
    }

    /// The effect of a key with that intent on a view.
    @discardableResult
    static func press(_ intent: ViewIntent, _ view: inout ViewModel, _ driver: ReplicaDriver) -> ViewEffect? {
        view.perform(intent, on: driver.replica, at: driver.now)
    }
}

extension ReplicaDriver {
    /// The events so far, as the observer shows them.
    var observerEvents: [ObserverEvent] { events.map { ObserverEvent($0) } }
}
