import Testing

/// The real executables, run as a user would run them, one test after another because they measure time.
@Suite("EndToEnd", .serialized)
struct EndToEnd {}
