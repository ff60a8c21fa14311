import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore
import Wording

/// Answers in the forms that the gateway gives.
enum Answer {
    /// A JSON document.
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Plain text.
    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A page that says what is wrong.
    static func page(_ words: String, status: HTTPResponse.Status) -> Response {
        let title = "\(status.code) \(status.reasonPhrase)"
        let html = """
            <!doctype html><html lang="en"><head><title>\(title)</title></head>\
            <body><h1>\(title)</h1><p>\(HTMLText.escaped(words))</p></body></html>
            """
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Nothing but that it is done.
    static var done: Response { Response(status: .noContent) }
}
