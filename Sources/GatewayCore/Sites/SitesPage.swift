import FleetProtocol

/// Which page of an account's sites a query wants: `page`, of `pageSize` sites.
public struct SitesPage: Hashable, Sendable {
    /// Sites of a page where the query does not say.
    public static let usualSize = 50

    /// Which page, from 1.
    public let page: Int
    /// The number that the client gives to the first page.
    let firstPage: Int
    /// How many there are on it.
    public let size: Int

    /// The page that a query names.
    ///
    /// - Parameter firstPage: The number that the client gives to the first page, 0 or 1.
    /// - Throws: ``APIError/badRequest(_:)`` for what is no such number.
    public init(_ query: FormFields, firstPage: Int = 1) throws(APIError) {
        let number = try Self.number("page", in: query, firstPage...firstPage + 999_999) ?? firstPage
        page = number - firstPage + 1
        self.firstPage = firstPage
        size = try Self.number("pageSize", in: query, 1...Limits.pageSites) ?? Self.usualSize
    }

    private static func number(
        _ name: String, in query: FormFields, _ allowed: ClosedRange<Int>
    ) throws(APIError) -> Int? {
        guard let text = query[name] else { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), allowed.contains(number)
        else {
            throw .badRequest("\(name) has to be a number of \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return number
    }
}
