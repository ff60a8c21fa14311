public import FleetProtocol

/// Which posts a query wants: a page of a length, as json-server has it.
public struct LogbookPage: Hashable, Sendable {
    /// Posts of a page where the query does not say: as many as jsonplaceholder has altogether.
    public static let usualLimit = 100
    /// Posts of a page at most.
    public static let limitAtMost = 500

    /// How many are passed over, the newest first.
    public let skip: Int
    /// How many follow at most.
    public let limit: Int
    /// Only those of that author; nil: everybody's.
    public let author: AuthorNumber?

    /// The page that `_page` (from 1), `_limit` and `userId` say.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` for what is no such number.
    public init(_ query: FormFields) throws(APIError) {
        limit = try Self.number("_limit", in: query, 1...Self.limitAtMost) ?? Self.usualLimit
        skip = limit * ((try Self.number("_page", in: query, 1...1_000_000) ?? 1) - 1)
        author = try Self.number("userId", in: query, 0...Int(UInt32.max)).map { AuthorNumber(UInt64($0)) }
    }

    /// The post that `postId` names.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` where it names none.
    public static func post(_ query: FormFields) throws(APIError) -> PostNumber {
        guard let number = try number("postId", in: query, 0...Int(Limits.largestOrdinal)) else {
            throw .badRequest("postId has to be there: comments are read post by post")
        }
        return PostNumber(UInt64(number))
    }

    private static func number(
        _ name: String, in query: FormFields, _ allowed: ClosedRange<Int>
    ) throws(APIError) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = LogbookRoute.number(text).map({ Int($0) }), allowed.contains(number) else {
            throw .badRequest("\(name) has to be a number of \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return number
    }
}
