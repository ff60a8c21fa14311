import Testing

/// The real executables, as a person uses them; one test after another, for they are about time.
@Suite("EndToEnd", .serialized)
struct EndToEnd {}
