// Sends one message from a socket to another in one process.
import Bus

let context = try Context()
let push = try Socket(.push, context: context)
let pull = try Socket(.pull, context: context)
try pull.bind(Endpoint.inproc("work"))
try push.connect(Endpoint.inproc("work"))

if try push.send(Array("hello".utf8)) != .sent { print("the queue is full") }
if let message = try pull.receive() {
    print(String(decoding: message.array, as: UTF8.self))
}
push.close()
pull.close()
context.terminate()
