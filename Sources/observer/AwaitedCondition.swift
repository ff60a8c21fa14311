import ObserverCore

/// A condition that somebody waits for, with the text that it was made of.
struct AwaitedCondition: Sendable {
    let condition: Condition
    let text: String
}
