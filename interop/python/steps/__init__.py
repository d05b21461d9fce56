"""What is asked of the server, in this order."""

from step import Step

from . import asking, http, lifecycle, prompts, resources, tools, utilities

STEPS: list[Step] = [
    *lifecycle.STEPS,
    *tools.STEPS,
    *utilities.STEPS,
    *asking.STEPS,
    *resources.STEPS,
    *prompts.STEPS,
    *http.STEPS,
    *lifecycle.LAST,
]
