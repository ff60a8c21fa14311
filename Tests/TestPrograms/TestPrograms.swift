/// The programs that `EndToEnd` runs.
///
/// A build of this target, or of the tests, builds them. `EndToEnd` does not depend on them, so that a change
/// of a program compiles none of its tests.
enum TestPrograms {}
