/// Why a load cannot be meant so, in words for whoever typed it.
public struct PlanError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what is allowed.
    public let description: String

    /// The error of those words.
    init(_ description: String) {
        self.description = description
    }
}
