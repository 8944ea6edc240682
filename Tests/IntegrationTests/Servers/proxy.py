"""Runs a proxy on loopback that tunnels to loopback only, until it is ended.

    proxy.py FOLDER PORT

Every tunnel is a line of JSON in FOLDER/tunnels.jsonl: where to, and what it was told of itself.
"""

import asyncio
import json
import pathlib
import signal
import sys

FOLDER = pathlib.Path(sys.argv[1])


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def serve(reader, writer):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, target, _ = head.split("\r\n")[0].split(" ")
    tunnel = {"method": method, "target": target, "headers": [line for line in head.split("\r\n")[1:] if line]}
    with open(FOLDER / "tunnels.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(tunnel) + "\n")
    if method != "CONNECT":
        writer.write(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        return
    there, back = await asyncio.open_connection("127.0.0.1", int(target.rsplit(":", 1)[1]))
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await asyncio.gather(pump(reader, back), pump(there, writer))


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[2]))
    print(json.dumps({"port": int(sys.argv[2])}), flush=True)
    await server.serve_forever()


# Whoever starts it may ignore the signal that ends it, and what is started inherits that.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
asyncio.run(main())
