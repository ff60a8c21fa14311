/// Those who take part, by number, each read and changed where they stand: an array gives who reads a copy.
struct Roster<Member>: RandomAccessCollection {
    private var members: [Member] = []

    var startIndex: Int { 0 }
    var endIndex: Int { members.count }

    subscript(index: Int) -> Member {
        _read { yield members.span[index] }
        _modify { yield &members[index] }
    }

    mutating func append(_ member: consuming Member) {
        members.append(member)
    }

    mutating func remove(at index: Int) {
        members.remove(at: index)
    }
}
