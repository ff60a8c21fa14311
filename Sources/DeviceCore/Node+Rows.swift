public import FleetProtocol

/// Devices as their node tells of them.
extension Node {
    /// The device of a slot as it is now.
    ///
    /// - Parameter slot: One of 0 to ``deviceCount``, itself excluded.
    public func row(of slot: Int) -> DeviceRow {
        DeviceRow(
            device: ids[slot], number: devices[slot].number, reported: devices[slot].memory.reported,
            epoch: devices[slot].memory.epoch, lastSequence: devices[slot].memory.lastSequence,
            isConnected: devices[slot].connectivity == .established, cause: devices[slot].memory.cause,
            settings: settings[slot])
    }

    /// The rows of changes above a number, from a slot on, for the pull of that number: as many as a chunk
    /// holds.
    func chunk(since: ChangeNumber, from cursor: UInt32, for pull: UInt64) -> RowChunk {
        var rows: [RowChunk.Row] = []
        var slot = min(Int(cursor), hosted)
        let end = min(hosted, slot + Self.slotsPerPull)
        // Settings are large: of rows that have some, fewer fit.
        var settingsBytes = 0
        while slot < end, rows.count < Limits.chunkRows {
            if devices[slot].number > since {
                settingsBytes += settings[slot]?.bytesAtMost ?? 0
                guard settingsBytes <= Limits.chunkSettingsBytes else { break }
                rows.append(
                    RowChunk.Row(
                        device: row(of: slot), name: name(ofSlot: slot), group: UInt8(group(of: slot)),
                        measurements: measurements(ofSlot: slot)))
            }
            slot += 1
        }
        return RowChunk(
            since: since, cursor: cursor, nextCursor: UInt32(slot), isLast: slot == hosted, pull: pull,
            rows: rows)
    }
}
