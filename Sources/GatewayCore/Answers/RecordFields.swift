/// Which keys of a record somebody asked for: of a change, or of what was measured.
public struct RecordFields: Sendable, Equatable {
    /// All of them.
    public static let all = RecordFields(query: nil)

    /// nil: all.
    private let names: Set<String>?

    /// What the `fields` of a query asks for: a list parted by commas, all of them for `*` or where there is
    /// none.
    ///
    /// Names that no record has are passed over, as Sensibo does.
    public init(query: String?) {
        let names = Set((query ?? "*").split(separator: ",").map { $0.filter { $0 != " " } })
        self.names = names.isEmpty || names.contains("*") ? nil : names
    }

    /// Whether a key was requested by its name, rather than with `*`.
    func isNamed(_ name: StaticString) -> Bool { names?.contains("\(name)") ?? false }

    /// Whether a key was asked for.
    func contains(_ name: StaticString) -> Bool { names?.contains("\(name)") ?? true }
}
