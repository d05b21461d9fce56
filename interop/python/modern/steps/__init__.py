"""What is asked of the server, in this order."""

from step import Step

from . import asking, lists, running, subscriptions, tasks

STEPS: list[Step] = [
    *lists.STEPS,
    *running.STEPS,
    *asking.STEPS,
    *subscriptions.STEPS,
    *tasks.STEPS,
]
