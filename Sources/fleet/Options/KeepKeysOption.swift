import ArgumentParser

/// Whether a user's keys outlast their password.
struct KeepKeysOption: ParsableArguments {
    @Flag(name: .customLong("keep-keys"), help: "Keep the user's API keys, which are revoked otherwise.")
    var isWanted = false
}
