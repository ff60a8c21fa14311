import FleetProtocol
import GatewayCore
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization

/// The answers that connections give on their event loops, without a task and the router: kept reads, and
/// changes with which nothing interferes. They are what the router would answer.
final class DirectAnswers: Sendable {
    let kept: KeptResponses
    private let door: SensiboAPI
    private let rules: RequestRules
    private let log: RequestLog
    private let date = Mutex<(second: time_t, text: String)>((0, ""))

    init(_ door: SensiboAPI, keeping kept: KeptResponses, under rules: RequestRules, _ log: RequestLog) {
        (self.door, self.kept, self.rules, self.log) = (door, kept, rules, log)
    }

    /// Whether a request may be a change that ``change(_:_:on:from:then:)`` carries out.
    func mayChange(_ request: HTTPRequest) -> Bool {
        [.patch, .post].contains(request.method) && request.path?.hasPrefix("/api/v2/pods/") ?? false
            && request.headerFields[.connection] == nil && (try? rules.check(request)) != nil
    }

    /// Carries out a change, and calls a handler on an event loop: with the response, or with nil if the
    /// request must go to the router, because nothing was done.
    func change(
        _ request: HTTPRequest, _ body: ByteBuffer?, on loop: any EventLoop, from address: String?,
        then handle: @escaping @Sendable (WholeResponse?) -> Void
    ) {
        guard let method = APIRequest.Method(rawValue: request.method.rawValue) else { return handle(nil) }
        let start = kept.meter.now
        let asked = APIRequest(
            method, URI(request.path ?? ""), request.headerFields,
            body: body.map { Array($0.readableBytesView) } ?? [])
        door.changeAtOnce(asked) { [self] answer in
            loop.execute { [self] in
                guard let answer = answer?() else { return handle(nil) }
                let response = rules.applied(to: Response(answer.response, to: method), for: request)
                log.log(request, response.status, answer.note, from: address)
                kept.meter.record(request, response.status, since: start)
                var head = response.head
                head.headerFields[.date] = now
                handle(WholeResponse(head: head, body: ByteBuffer(bytes: answer.response.body)))
            }
        }
    }

    /// The time as in a response's header (RFC 9110, section 5.6.7).
    private var now: String {
        var second = time(nil)
        return date.withLock { date in
            guard date.second != second else { return date.text }
            var parts = tm()
            gmtime_r(&second, &parts)
            let text = String(unsafeUninitializedCapacity: 32) { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
                }
            }
            date = (second, text)
            return text
        }
    }
}
