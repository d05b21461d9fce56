"""A wire between client and server that can be cut."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

CHUNK = 65536


class Proxy:
    def __init__(self, target: str) -> None:
        self._target = urlsplit(target)
        self._writers: set[asyncio.StreamWriter] = set()
        # Everything the clients have sent, to look for headers.
        self.sent = b""
        self.host = ""

    @property
    def url(self) -> str:
        """The target's address, by way of the proxy."""
        return self._target._replace(netloc=self.host).geturl()

    @property
    def was_resumed(self) -> bool:
        """Whether a client came back and said which event it saw last."""
        return re.search(rb"(?im)^last-event-id:", self.sent) is not None

    def cut(self) -> None:
        """Cuts every connection that exists now."""
        for writer in self._writers:
            writer.transport.abort()

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        pair = {writer, far_writer}
        self._writers |= pair
        try:
            await asyncio.gather(self._forward(reader, far_writer), self._back(far_reader, writer))
        except OSError:
            pass
        finally:
            self._writers -= pair
            for end in pair:
                end.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            # The server sees the address it expects: it may refuse a strange one.
            data = data.replace(self.host.encode(), self._target.netloc.encode(), 1)
            self.sent += data
            writer.write(data)
            await writer.drain()
        writer.transport.abort()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def proxy_to(target: str) -> AsyncIterator[Proxy]:
    """Forwards connections to the host of the target."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.join, "127.0.0.1", 0)
    address, port = server.sockets[0].getsockname()
    proxy.host = f"{address}:{port}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
