"""One call under way, and how it is ended early.

A thread is ended by raising `Cancelled` in it from outside, which Python does between any two instructions. That must
not happen while the thread is inside the host's own code (half a line sent, a lock kept), so there it stands behind a
shield and is told when it comes out. A thread that was struck is never used again: the blow may land late."""
import threading

from .context import Cancelled


class Call:
    def __init__(self, id, tool, arguments, token):
        self.id = id
        self.tool = tool
        self.arguments = arguments
        self.token = token
        self.cancelled = False
        self.finished = False
        self.struck = False
        self.thread = None
        self.task = None
        self.waiting = set()
        self.shield = Shield(self)
        self.lock = threading.Lock()
        self.shielded = 0

    def begin(self):
        """In the thread that is to do the work: False if nobody wants it any more."""
        with self.lock:
            self.thread = threading.get_ident()
            return not self.cancelled

    def finish(self):
        """True if the answer is still wanted; from then on the thread is safe."""
        with self.lock:
            self.finished = True
            return not self.cancelled

    def cancel(self, loop):
        with self.lock:
            if self.finished or self.cancelled:
                return
            self.cancelled = True
            for future in self.waiting:
                future.cancel()
            if self.task is not None:
                loop.cancel(self.task)
            elif self.thread is not None and not self.shielded:
                self.struck = True
                strike(self.thread)

    def wait_for(self, future):
        """Waits for an answer, or for the end of the call."""
        with self.lock:
            if self.cancelled:
                return
            self.waiting.add(future)
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        done.wait()


class Shield:
    def __init__(self, call):
        self._call = call

    def __enter__(self):
        call = self._call
        with call.lock:
            if call.cancelled:
                raise Cancelled()
            if call.thread == threading.get_ident():
                call.shielded += 1

    def __exit__(self, kind, error, trace):
        call = self._call
        with call.lock:
            if call.thread == threading.get_ident():
                call.shielded -= 1
            if call.cancelled and kind is None:
                raise Cancelled()
        return False


def strike(thread):
    import ctypes  # not needed by those who never cancel

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Cancelled))
