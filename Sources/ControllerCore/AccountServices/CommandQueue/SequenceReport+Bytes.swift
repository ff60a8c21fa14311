public import FleetProtocol
import Records

extension SequenceReport {
    /// The sequence that was kept as those bytes; nil where they are none.
    public init?(kept bytes: [UInt8]) {
        do throws(RecordError) {
            self = try RecordReader.read(SequenceReport.self, from: bytes)
        } catch {
            return nil
        }
    }

    /// It as it is kept, in form number 1.
    public var keptBytes: [UInt8] {
        var writer = RecordWriter()
        write(to: &writer)
        return writer.bytes
    }
}
