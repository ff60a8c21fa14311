// Made by protoc-gen-fleetwire from proto/mapping/FleetReplica.records: `make proto` makes it again.
// swift-format-ignore-file

public import FleetProtocol

extension Replica.Pull: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(cursor)
        writer.put(number)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let cursor = try reader.read(UInt32.self)
        let number = try reader.read(UInt64.self)
        self.init(cursor: cursor, number: number)
    }
}

extension StreamPosition: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(epoch)
        writer.put(sequence)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let epoch = try reader.read(Epoch.self)
        let sequence = try reader.read(StreamSequence.self)
        self.init(epoch: epoch, sequence: sequence)
    }
}

extension StreamContinuity: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(padded: receivedFrom?.value)
        writer.put(padded: received?.value)
        writer.put(padded: base?.value)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let receivedFrom = try reader.readPadded(UInt64.self, "sequence")
        let received = try reader.readPadded(UInt64.self, "sequence")
        let base = try reader.readPadded(UInt64.self, "sequence")
        guard max(receivedFrom ?? 0, received ?? 0, base ?? 0) <= Limits.largestOrdinal else { throw .malformed(field: "sequence") }
        self.init(receivedFrom: receivedFrom.map(StreamSequence.init), received: received.map(StreamSequence.init), base: base.map(StreamSequence.init))
    }
}

extension ReplicaState: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(at)
        writer.put(connection == .established)
        writer.put(position)
        writer.put(continuity)
        writer.put(receivedAt)
        writer.put(updateCount)
        writer.put(snapshotCount)
        writer.put(pullNumber)
        writer.put(roundNumber)
        writer.put(seed)
        writer.put(chunkCount)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let at = try reader.read(Moment.self)
        let connection = try reader.readBool("connection")
        let position = try reader.read(StreamPosition.self)
        let continuity = try reader.read(StreamContinuity.self)
        let receivedAt = try reader.read(MonotonicTime.self)
        let updateCount = try reader.read(UInt64.self)
        let snapshotCount = try reader.read(UInt64.self)
        let pullNumber = try reader.read(UInt64.self)
        let roundNumber = try reader.read(UInt32.self)
        let seed = try reader.read(UInt64.self)
        let chunkCount = try reader.read(UInt32.self)
        guard max(updateCount, snapshotCount, pullNumber) <= Limits.largestOrdinal else { throw .malformed(field: "count") }
        self.init(at: at, connection: connection ? .established : .connecting, position: position, continuity: continuity, receivedAt: receivedAt, updateCount: updateCount, snapshotCount: snapshotCount, pullNumber: pullNumber, roundNumber: roundNumber, seed: seed, chunkCount: chunkCount)
    }
}

extension RecordingStart: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(at)
        writer.put(recording)
        writer.put(number)
        writer.put(account)
        writer.put(seed)
        writer.put(isFresh)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let at = try reader.read(Moment.self)
        let recording = try reader.read(UInt64.self)
        let number = try reader.read(UInt32.self)
        let account = try reader.readText("account")
        let seed = try reader.read(UInt64.self)
        let isFresh = try reader.readBool("freshness")
        self.init(at: at, recording: recording, number: number, account: account, seed: seed, isFresh: isFresh)
    }
}
