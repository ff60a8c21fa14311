import ArgumentParser
import FleetProtocol

/// Which request is meant, of which fleet, and who reads the answer.
struct RequestOptions: ParsableArguments {
    @Argument(help: "The request's identity.", transform: RequestID.parse)
    var requestID: RequestID

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption
}
