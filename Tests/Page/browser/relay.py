"""A relay in front of a gateway that delays all bytes: a network with latency."""
import asyncio, contextlib, threading


@contextlib.contextmanager
def relay(port, latency):
    """Relays connections to a local port, with half of the latency (seconds) each way. Yields the relay's port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    started = asyncio.run_coroutine_threadsafe(asyncio.start_server(lambda *ends: pass_on(ends, port, latency / 2), "127.0.0.1", 0), loop)
    try:
        yield started.result(timeout=5).sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(timeout=5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=5)
        loop.close()


async def stop():
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others: task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def pass_on(ends, port, delay):
    """Relays both directions of a connection until one end closes it."""
    reader, writer = ends
    try: far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError: return writer.close()
    both = [asyncio.ensure_future(pump(*ends, delay)) for ends in ((reader, far_writer), (far_reader, writer))]
    try: await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError: pass  # The relay ends.
    for one in both: one.cancel()
    await asyncio.gather(*both, return_exceptions=True)
    for one in (writer, far_writer): one.close()


async def pump(reader, writer, delay):
    """Relays one direction, each part after the delay, in order."""
    loop, parts = asyncio.get_running_loop(), asyncio.Queue()

    async def read():
        while part := await reader.read(65_536): parts.put_nowait((loop.time() + delay, part))
        parts.put_nowait((loop.time() + delay, None))

    reading = asyncio.ensure_future(read())
    try:
        while True:
            due, part = await parts.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if part is None: return
            writer.write(part)
            await writer.drain()
    finally: reading.cancel()
