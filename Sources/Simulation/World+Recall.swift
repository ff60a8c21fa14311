import ControllerCore
import FleetTime

/// What a life of the controller reads of its journal while it serves, a segment at a time.
extension World {
    mutating func recallLater(_ place: Int, of number: Int) {
        guard let life = lives.place(of: number), place < lives[life].unread.numbers.count else { return }
        // Segments are many where they are small: in calm each takes its least.
        let pause = Duration.milliseconds(isHealed ? 5 : Int.random(in: 0...300, using: &generator))
        events.set(.recall(life: number, place: place), at: now.monotonic.advanced(by: pause))
    }

    mutating func recall(_ place: Int, of number: Int) {
        guard let life = lives.place(of: number) else { return }
        guard lives[life].frozenUntil <= now.monotonic else {
            return events.set(.recall(life: number, place: place), at: lives[life].frozenUntil)
        }
        let unread = lives[life].unread
        var ends = JournalReplay()
        for batch in disk.batches(of: unread.numbers[place]) {
            do throws(StorageError) {
                try ends.recall(batch[...], of: unread.numbers[place])
            } catch {
                ledger.violate("a batch that cannot be read: \(error)")
            }
        }
        ledger.seen.insert("recall")
        stepController(number, .recalled(ends, unreadUpTo: unread.newestID(after: place + 1)))
        recallLater(place + 1, of: number)
    }
}
