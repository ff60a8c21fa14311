import ControllerCore
import Runtime

extension WitnessMark {
    /// How far the journal went.
    var journalEnd: JournalEnd {
        JournalEnd(segment: Int(segment), batch: BatchLink(number: number, checksum: checksum))
    }
}
