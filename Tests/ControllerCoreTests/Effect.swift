import ControllerCore
import FleetProtocol

/// One effect that a controller returns.
enum Effect: Equatable {
    case store(StorageChange)
    case reply(ConnectionID, ClientReply)
    case send(ConnectionID, ControllerMessage)
    case publish(AccountID, StreamUpdate)
    case publishLast(StreamTopic, StreamUpdate)
    case checkPassword(PasswordCheck)
    case hashPassword(PasswordHashing)
    case message(OutgoingMessage)
    case halt(fencedBy: Epoch)
}

extension Controller.Effects {
    /// All effects, in the order in which they are carried out.
    var all: [Effect] {
        let stored = changes.map(Effect.store)
        let released: [Effect] =
            replies.map { .reply($0.client, $0.reply) } + messages.map { .send($0.node, $0.message) }
            + updates.map { .publish($0.account, $0.update) }
        let work: [Effect] = rare.compactMap {
            switch $0 {
            case .publishLast(let topic, let update): .publishLast(topic, update)
            case .check(let check): .checkPassword(check)
            case .hash(let hashing): .hashPassword(hashing)
            case .message(let message): .message(message)
            case .askCell, .move: nil
            }
        }
        return stored + released + work + (fencing.map { [.halt(fencedBy: $0)] } ?? [])
    }
}
