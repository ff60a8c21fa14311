public import FleetProtocol

/// The answer to a request, independent of the protocol that transports it.
public enum LoadAnswer: Equatable, Sendable {
    case applied(OutcomeReport.Timing?)
    /// The device already had the state to set; its times in the fleet.
    case unchanged(OutcomeReport.Timing?)
    case read
    /// The request was not carried out; the name of its outcome or of its refusal.
    case failed(String)

    static let unexpected = "unexpectedReply"

    var name: String {
        switch self {
        case .applied: "applied"
        case .unchanged: "unchanged"
        case .read: "read"
        case .failed(let name): name
        }
    }
}

extension LoadAnswer {
    private static let key = Array("\"status\":".utf8)
    private static let (quote, space) = (UInt8(ascii: "\""), UInt8(ascii: " "))

    /// The answer that a response of Sensibo's API to a request contains. A status other than 200 is counted
    /// as `http429` and so on. With status 200 the result of a new state has `Success`, or why the state was
    /// not set, such as `Failed` and `Unknown`.
    init(_ response: HTTPLoad.Response, to content: LoadMessage.Content) {
        guard response.status == 200 else {
            self = .failed("http\(response.status)")
            return
        }
        // The status of the whole response is `success`; that of a result begins with a capital letter.
        if case .read = content {
            let isRead = Self.status(in: response.body, beginningIn: smallLetters) == "success"
            self = isRead ? .read : .failed(Self.unexpected)
            return
        }
        switch Self.status(in: response.body, beginningIn: capitalLetters) {
        case "Success": self = .applied(nil)
        case let word?: self = .failed(word.lowercased())
        case nil: self = .failed(Self.unexpected)
        }
    }

    /// Returns the first status that begins with one of some letters; nil without one. The body is searched
    /// instead of decoded, because decoding takes as long as all other work of the tester.
    private static func status(in body: [UInt8], beginningIn letters: ClosedRange<UInt8>) -> String? {
        var place = 0
        while let start = next(key, in: body, from: place) {
            place = start + key.count
            while place < body.count, body[place] == space { place += 1 }
            guard place + 1 < body.count, body[place] == quote else { continue }
            let word = body[(place + 1)...].prefix { $0 != quote }
            if let first = word.first, letters.contains(first), word.count <= 32,
                word.allSatisfy({ capitalLetters.contains($0 & ~0x20) })
            {
                return String(decoding: word, as: UTF8.self)
            }
        }
        return nil
    }

    private static func next(_ key: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        guard body.count >= key.count else { return nil }
        var place = start
        while place <= body.count - key.count {
            if body[place] == key[0], body[place..<place + key.count].elementsEqual(key) { return place }
            place += 1
        }
        return nil
    }
}

private let smallLetters = UInt8(ascii: "a")...UInt8(ascii: "z")
private let capitalLetters = UInt8(ascii: "A")...UInt8(ascii: "Z")
