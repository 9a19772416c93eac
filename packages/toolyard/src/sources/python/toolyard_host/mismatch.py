"""The one way in which a value does not fit: what was expected, what came, and where."""
import json


class Mismatch(Exception):
    def __init__(self, expected, value=None, problem=None):
        super().__init__(expected)
        self.expected = expected
        self.problem = problem or "expected %s, got %s" % (expected, shown(value))
        self.path = []

    def within(self, part):
        """The same, one step further out."""
        self.path.insert(0, part)
        return self

    def __str__(self):
        where = ""
        for part in self.path:
            where += "[%d]" % part if isinstance(part, int) else ("." if where else "") + str(part)
        return "%s: %s" % (where, self.problem) if where else self.problem


def shown(value):
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def name_of(hint):
    is_plain = isinstance(hint, type) and not hasattr(hint, "__args__")
    return hint.__name__ if is_plain else str(hint).replace("typing.", "")
