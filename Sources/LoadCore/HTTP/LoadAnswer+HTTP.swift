extension LoadAnswer {
    private static let key = Array("\"status\":".utf8)
    private static let (quote, space) = (UInt8(ascii: "\""), UInt8(ascii: " "))

    /// The answer that a response of Sensibo's API to a new state contains.
    ///
    /// A status other than 200 is counted as `http429` and so on. With status 200 the result has `Success`,
    /// or why the state was not set, such as `Failed` and `Unknown`.
    public init(status: Int, body: [UInt8]) {
        guard status == 200 else {
            self = .failed("http\(status)")
            return
        }
        switch Self.result(in: body) {
        case "Success": self = .applied(nil)
        case let word?: self = .failed(word.lowercased())
        case nil: self = .failed(Self.unexpected)
        }
    }

    /// Returns the status of the result; nil without one.
    ///
    /// That of the whole response is `success` and begins with a small letter. The body is searched instead
    /// of decoded, because decoding takes as long as all other work of the tester.
    private static func result(in body: [UInt8]) -> String? {
        var place = 0
        while let start = next(key, in: body, from: place) {
            place = start + key.count
            while place < body.count, body[place] == space { place += 1 }
            guard place + 1 < body.count, body[place] == quote else { continue }
            let word = body[(place + 1)...].prefix { $0 != quote }
            if let first = word.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first),
                word.count <= 32, word.allSatisfy({ $0.isLetter })
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

extension UInt8 {
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self & ~0x20)
    }
}
