"""Where functions run: threads for plain ones, one event loop for async ones."""
import queue
import threading

from .calls import strike
from .context import Cancelled

MAX_THREADS = 64


class Workers:
    """Threads that are made when they are needed. `run(call)` is True when its thread must not be used again."""

    def __init__(self, run):
        self._run = run
        self._jobs = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0
        self._backlog = 0

    def submit(self, call):
        with self._lock:
            if self._idle:
                self._idle -= 1
            elif self._threads < MAX_THREADS:
                self._start()
            else:
                self._backlog += 1
        self._jobs.put(call)

    def lose_one(self):
        """A thread was struck and will not come back."""
        with self._lock:
            self._threads -= 1
            if self._backlog:
                self._backlog -= 1
                self._start()

    def _start(self):
        self._threads += 1
        threading.Thread(target=self._work, name="toolyard call", daemon=True).start()

    def _work(self):
        try:
            while not self._run(self._jobs.get()):
                with self._lock:
                    if self._backlog:
                        self._backlog -= 1
                    else:
                        self._idle += 1
        except Cancelled:
            pass


class Loop:
    """An event loop in a thread of its own, from the first async call on."""

    def __init__(self):
        self.thread = None
        self._loop = None
        self._lock = threading.Lock()

    def get(self):
        with self._lock:
            if self._loop is None:
                import asyncio

                self._loop = asyncio.new_event_loop()
                started = threading.Event()
                threading.Thread(target=self._run, args=(started,), name="toolyard loop", daemon=True).start()
                started.wait()
            return self._loop

    def _run(self, started):
        import asyncio

        asyncio.set_event_loop(self._loop)
        self.thread = threading.get_ident()
        started.set()
        while True:
            try:
                self._loop.run_forever()
            except BaseException as error:
                # Nothing that one call raises may stop the others.
                print("[the event loop was disturbed by %r]" % error)

    def submit(self, call, work):
        loop = self.get()

        def start():
            with call.lock:
                if not call.cancelled:
                    call.task = loop.create_task(work)
                    call.task.add_done_callback(lambda _: setattr(call, "finished", True))
                    return
                call.finished = True
            work.close()

        loop.call_soon_threadsafe(start)

    def cancel(self, task):
        self._loop.call_soon_threadsafe(task.cancel)

    def wait(self, call, work):
        """The result of a coroutine, for a call whose thread is not the loop's."""
        import asyncio

        future = asyncio.run_coroutine_threadsafe(work, self.get())
        with call.shield:
            call.wait_for(future)
        return future.result()

    def strike_if_stuck(self, task):
        """Ends a task that never gives the loop back."""
        import asyncio

        if asyncio.current_task(self._loop) is task:
            strike(self.thread)
