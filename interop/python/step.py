"""A step, and the questions that many steps ask about an answer."""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

# Gets the connection, and raises when the server fails the step.
Run = Callable[[Any], Awaitable[None]]


@dataclass(frozen=True)
class Step:
    name: str
    run: Run
    # The fixtures it calls.
    tools: tuple[str, ...] = ()
    # The first revision it is about.
    since: str = ""
    # The transports it is about; all of them when empty.
    transports: tuple[str, ...] = ()

    def concerns(self, revision: str, transport: str, only: list[str]) -> bool:
        return (
            revision >= self.since
            and (not self.transports or transport in self.transports)
            and (not only or any(part in self.name for part in only))
        )


def step(
    steps: list[Step], name: str, tools: tuple[str, ...] = (), since: str = "", transports: tuple[str, ...] = ()
) -> Callable[[Run], None]:
    """Adds the decorated function to the steps."""

    def add(run: Run) -> None:
        steps.append(Step(name, run, tools, since, transports))

    return add


def equal(actual: Any, expected: Any) -> None:
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def true(condition: Any, complaint: str) -> None:
    if not condition:
        raise AssertionError(complaint)


def only(result: Any, kind: str) -> Any:
    """The one content item of a result."""
    equal([item.type for item in result.content], [kind])
    return result.content[0]


def text(result: Any) -> str:
    return only(result, "text").text


async def refused(answer: Awaitable[Any]) -> Any:
    """The error a request was answered with."""
    try:
        value = await answer
    except Exception as error:
        if hasattr(error, "error"):
            return error.error
        raise
    raise AssertionError(f"expected an error, got {value!r}")


def is_png(data: str) -> bool:
    return base64.b64decode(data)[1:4] == b"PNG"


def is_wav(data: str) -> bool:
    decoded = base64.b64decode(data)
    return decoded[:4] == b"RIFF" and decoded[8:12] == b"WAVE"
