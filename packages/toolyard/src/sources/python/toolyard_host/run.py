"""Runs one call: arguments in, the function, its result or failure out."""
import collections.abc
import inspect
import types

from .context import Cancelled
from .failure import describe_failure
from .result import to_error, to_message, to_result, to_streamed


def run(host, call):
    """In a worker's thread. True when the thread was struck and must not be used again."""
    wanted = False
    try:
        if call.begin():
            try:
                text = _perform(host, call)
            except BaseException as error:
                text = to_error(describe_failure(error, host.folder))
            wanted = call.finish()
        else:
            call.finished = True
    except Cancelled:
        # The blow landed outside of the function.
        call.finished = True
    if wanted:
        host.active.pop(call.id, None)
        host.wire.answer(call.id, text)
    return call.struck


async def run_async(host, call):
    """On the event loop."""
    try:
        context = host.context_of(call)
        positional, named = call.tool.bind(call.arguments, context)
        value = call.tool.function(*positional, **named)
        if inspect.isasyncgen(value):
            text = await _collect_async(value, context, call.tool.output)
        else:
            text = to_result(await value if inspect.isawaitable(value) else value, call.tool.output)
    except BaseException as error:
        text = to_error(describe_failure(error, host.folder))
    if call.finish():
        host.active.pop(call.id, None)
        host.wire.answer(call.id, text)


def _perform(host, call):
    tool = call.tool
    context = host.context_of(call)
    positional, named = tool.bind(call.arguments, context)
    value = tool.function(*positional, **named)
    if inspect.isasyncgen(value):
        return host.loop.wait(call, _collect_async(value, context, tool.output))
    if isinstance(value, types.CoroutineType) or inspect.isawaitable(value):
        value = host.loop.wait(call, _awaited(value))
    if isinstance(value, (types.GeneratorType, collections.abc.Iterator)):
        items = []
        for item in value:
            items.append(item)
            context.progress(len(items), None, to_message(item))
        return to_streamed(items, tool.output)
    return to_result(value, tool.output)


async def _awaited(value):
    return await value


async def _collect_async(generator, context, output):
    items = []
    try:
        async for item in generator:
            items.append(item)
            context.progress(len(items), None, to_message(item))
    finally:
        await generator.aclose()
    return to_streamed(items, output)
