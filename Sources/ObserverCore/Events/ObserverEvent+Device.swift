import FleetProtocol

extension ObserverEvent {
    /// The one device it concerns; nil when it concerns several or none.
    public var device: Device? {
        switch body {
        case .reported(let reported): reported.device
        case .presence(let device, _): device
        case .outcome(let outcome): outcome.device
        case .notice(.added(let device)), .notice(.removed(let device)): device
        case .node, .stale, .resync, .notice(.connection), .notice(.signedOut), .notice(.signedIn): nil
        }
    }
}

extension ObserverEvent.Device {
    /// Its name, fit for a terminal; its id where nothing can be seen of the name.
    public var label: String {
        let safe = name.map(SafeText.of) ?? ""
        return safe.isEmpty ? id.description : safe
    }
}
