/// The programs of a fleet on one machine, except the gateway.
///
/// A build of this target builds them at the same time, and no tools of libraries.
enum LocalPrograms {}
