import DeviceCore
package import FleetProtocol

/// The memory file of a node, as a test forges it.
package enum MemoryFile {
    /// Returns the bytes of a file with further entries, by which each device has seen an epoch.
    ///
    /// - Throws: The reason why the bytes are no memory.
    package static func raisingEpochs(of bytes: [UInt8], to epoch: Epoch) throws -> [UInt8] {
        var replay = MemoryReplay()
        try replay.append(bytes[...])
        var writer = MemoryWriter()
        for (device, memory) in replay.memory.devices {
            var fields = RecordWriter()
            fields.put(memory.reported)
            fields.put(epoch)
            // The last command is a number that no command has, which ends the record.
            fields.put(CommandNumber.zero)
            writer.put(try RecordReader.read(DeviceMemory.self, from: fields.bytes), of: device)
        }
        writer.endFrame()
        return bytes + writer.bytes
    }
}
