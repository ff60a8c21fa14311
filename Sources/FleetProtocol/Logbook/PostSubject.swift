/// What a post is about.
public enum PostSubject: Hashable, Sendable {
    /// A device of the account, with what it was called when the post was written; empty in what somebody
    /// asks to be written, for the controller knows it.
    case device(DeviceID, name: String)
    /// A place where devices stand; 1 to ``Limits/nameBytes`` bytes.
    case site(String)

    /// Whether both are about the same, whatever it is called.
    public func isSame(as other: PostSubject) -> Bool {
        switch (self, other) {
        case (.device(let one, _), .device(let another, _)): one == another
        case (.site(let one), .site(let another)): one == another
        case (.device, .site), (.site, .device): false
        }
    }
}
