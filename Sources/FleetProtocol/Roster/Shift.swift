public import Stepping

/// Why something is no shift.
public enum ShiftError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who it is of is not allowed; why.
    case who(LogbookTextError)
    /// It ends when it begins, or earlier.
    case empty
    /// It begins or ends at a time that no calendar here shows.
    case time

    /// What is wrong, and what is allowed; never the text.
    public var description: String {
        switch self {
        case .who(let error): error.description
        case .empty: "to: a shift ends after it begins"
        case .time: "from, to: times from 1970 to 9999 are allowed"
        }
    }
}

/// That somebody is on duty from one time to another.
///
/// It is half open: who comes on duty at ten is on duty at ten, and who goes off duty at ten no longer is.
public struct Shift: Hashable, Sendable {
    /// The times that one begins and ends at, milliseconds since 1970: up to the end of the year 9999.
    public static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Who, as somebody wrote it: one line of 1 to ``Limits/nameBytes`` bytes of which something can be
    /// seen, or the email; text of strangers.
    public let who: String
    /// By which they log in; nil where nobody said.
    ///
    /// Whether there is such a user, is seen when it matters: somebody may be taken in after the plan was
    /// made.
    public let email: Email?
    /// When it begins.
    public let from: WallTime
    /// When it has ended.
    public let to: WallTime

    /// The shift of those parts.
    ///
    /// - Throws: ``ShiftError``.
    public init(who: String, email: Email? = nil, from: WallTime, to: WallTime) throws(ShiftError) {
        if who != email?.address {
            do throws(LogbookTextError) {
                _ = try LogbookText.line(who, of: "who", bytes: Limits.nameBytes)
            } catch {
                throw .who(error)
            }
        }
        guard Self.times.contains(from.unixMilliseconds), Self.times.contains(to.unixMilliseconds) else {
            throw .time
        }
        guard from < to else { throw .empty }
        self.who = who
        self.email = email
        self.from = from
        self.to = to
    }

    /// Who it is of, to tell people apart: by the email, and by the name where there is none.
    public var person: String { email?.address ?? who }

    /// Whether they are on duty then.
    public func contains(_ time: WallTime) -> Bool { from <= time && time < to }

    /// What it takes of a message's bytes at most, and of the room for rosters: 40 for its numbers and
    /// frames, and its texts.
    public var bytesAtMost: Int {
        40 + (who == email?.address ? 0 : who.utf8.count) + (email?.address.utf8.count ?? 0)
    }
}

extension Shift: Comparable {
    /// Whether the first begins earlier; of those that begin together, whether it ends earlier; and then by
    /// who it is.
    public static func < (left: Shift, right: Shift) -> Bool {
        (left.from, left.to, left.person, left.who) < (right.from, right.to, right.person, right.who)
    }
}
