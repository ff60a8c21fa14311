import FleetProtocol
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import gateway

@Suite("The log of requests")
struct RequestLogTests {
    /// Collects the messages of a logger with their metadata, in the order of the keys.
    private struct Lines: LogHandler {
        private final class Storage: Sendable { let lines = Mutex<[String]>([]) }

        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]
        private let storage = Storage()

        var all: [String] { storage.lines.withLock { $0 } }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            storage.lines.withLock { $0.append("\(event.message)\(fields.joined())") }
        }
    }

    /// Returns the lines of the log after a request to a handler.
    private static func lines(
        _ method: HTTPRequest.Method, _ path: String, times: Int = 1, every interval: Duration = .zero,
        handler: @escaping @Sendable () throws -> HTTPResponse.Status
    ) async throws -> [String] {
        let lines = Lines()
        let now = Mutex(Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 0)))
        let log = RequestLog(logger: Logger(label: "test") { _ in lines }, clock: { now.withLock { $0 } })
        let router = Router(context: GatewayContext.self)
        router.add(middleware: log)
        router.on("pods/**", method: method) { _, _ in Response(status: try handler()) }
        let responder = router.buildResponder()
        for _ in 0..<times {
            let context = GatewayContext(
                source: ApplicationRequestContextSource(
                    channel: EmbeddedChannel(), logger: Logger(label: "test")))
            let head = HTTPRequest(
                method: method, scheme: "http", authority: "localhost", path: path,
                headerFields: [.authorization: "Bearer SECRET"])
            _ = try? await responder.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: "SECRET"))),
                context: context)
            now.withLock { $0 = $0.advanced(by: interval) }
        }
        return lines.all
    }

    @Test("a request with a body that changes nothing is logged only if it is refused")
    func question() async throws {
        for (status, count) in [(HTTPResponse.Status.ok, 0), (.forbidden, 1)] {
            let lines = try await Self.lines(.post, "/pods/filter") {
                RequestNote.current?.identifyQuestion()
                return status
            }
            #expect(lines.count == count)
        }
    }

    @Test("a request for a change is logged with its caller, and without the key in its query")
    func change() async throws {
        let lines = try await Self.lines(.post, "/pods/VMe9BNPT/acStates?apiKey=SECRET") {
            RequestNote.current?.identify(try #require(Email("demo@sensibus.local")))
            return .ok
        }
        #expect(
            lines == [
                "change requested caller=demo@sensibus.local method=POST path=/pods/VMe9BNPT/acStates "
                    + "status=200"
            ])
    }

    @Test("a request that is refused is logged, whatever refuses it", arguments: [true, false])
    func refusal(isThrown: Bool) async throws {
        let lines = try await Self.lines(.get, "/pods/x?apiKey=SECRET") {
            if isThrown { throw HTTPError(.forbidden, message: "SECRET") }
            return .forbidden
        }
        #expect(lines == ["request refused caller=unknown method=GET path=/pods/x status=403"])
        let unknown = try await Self.lines(.get, "/nothing") { .ok }
        #expect(unknown == ["request refused caller=unknown method=GET path=/nothing status=404"])
    }

    @Test("a request that a fault affected is logged with the fault")
    func fault() async throws {
        let lines = try await Self.lines(.get, "/pods/x") {
            RequestNote.current?.meet([.slow])
            RequestNote.current?.meet([.badPod, .slow])
            return .ok
        }
        #expect(
            lines == [
                "request affected by a fault caller=unknown fault=slow,bad-pod method=GET path=/pods/x status=200"
            ])
    }

    @Test("a request that only reads is not logged")
    func read() async throws {
        #expect(try await Self.lines(.get, "/pods/x") { .ok } == [])
        #expect(try await Self.lines(.head, "/pods/x") { .ok } == [])
    }

    @Test("of many requests in a second the first are logged; the next line has the number of the others")
    func many() async throws {
        let lines = try await Self.lines(.put, "/pods/x", times: 60, every: .milliseconds(18)) { .noContent }
        #expect(lines.count == 54)
        #expect(lines.map { $0.contains("unsaid=6") } == (0..<54).map { $0 == 50 })
    }
}
