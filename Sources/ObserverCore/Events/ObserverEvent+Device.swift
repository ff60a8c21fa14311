import Wording

extension ObserverEvent {
    /// The one device it concerns; nil when it concerns several or none.
    public var device: Device? {
        switch body {
        case .reported(let reported): reported.device
        case .presence(let device, _): device
        case .outcome(let outcome): outcome.device
        case .settings(let device, _): device
        case .notice(.added(let device)), .notice(.removed(let device)): device
        case .notice(.held(let device, _)): device
        case .node, .measured, .stale, .resync, .notice(.connection), .notice(.signedOut), .notice(.signedIn),
            .notice(.history):
            nil
        }
    }
}

extension ObserverEvent.Device {
    /// What it is called in lines for people.
    public var label: String { SafeText.label(name, of: id) }
}
