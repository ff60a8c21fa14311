import Testing

/// The real executables, run as a user would run them.
///
/// `Tests/suites` lists the suites that run alone.
@Suite("EndToEnd")
struct EndToEnd {}
