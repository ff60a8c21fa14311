/// What happens to devices, or to the node that hosts them, as often as a scenario's rates say.
enum Happening: CaseIterable, Sendable {
    /// Somebody uses a device's hand remote.
    case handRemote
    /// Somebody switches a device with the app.
    case switching
    /// A device's Wi-Fi drops.
    case drop
    /// A device stops answering for a while.
    case hang
    /// A device starts again.
    case reboot
    /// The node dies.
    case crash

    /// Whether it happens to the node, and not to each of its devices.
    var isOfNode: Bool { self == .crash }
}

extension Scenario {
    /// How often that happens.
    func rate(of happening: Happening) -> Rate {
        switch happening {
        case .handRemote: people.handRemotes
        case .switching: people.switches
        case .drop: network.drops
        case .hang: hangs.rate
        case .reboot: reboots.rate
        case .crash: nodes.crashes
        }
    }
}
