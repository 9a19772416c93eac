"""Dates, times and durations from and to ISO 8601, where the oldest Python we serve knows only part of it."""
import datetime
import re

FRACTION = re.compile(r"\.(\d+)")
DURATION = re.compile(
    r"^([+-])?P(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$", re.IGNORECASE
)


def to_datetime(text):
    return datetime.datetime.fromisoformat(_plain(text))


def to_date(text):
    return datetime.date.fromisoformat(text)


def to_time(text):
    return datetime.time.fromisoformat(_plain(text))


def to_timedelta(value):
    if isinstance(value, (int, float)):
        return datetime.timedelta(seconds=value)
    match = DURATION.match(value)
    if not match or not any(match.groups()[1:]):
        raise ValueError(value)
    weeks, days, hours, minutes, seconds = (float(part or 0) for part in match.groups()[1:])
    length = datetime.timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -length if match.group(1) == "-" else length


def from_timedelta(length):
    sign = "-" if length < datetime.timedelta(0) else ""
    length = abs(length)
    hours, rest = divmod(length.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    text = sign + "P"
    if length.days:
        text += "%dD" % length.days
    fraction = (".%06d" % length.microseconds).rstrip("0") if length.microseconds else ""
    clock = ("%dH" % hours if hours else "") + ("%dM" % minutes if minutes else "")
    if seconds or fraction or not (clock or length.days):
        clock += "%d%sS" % (seconds, fraction)
    return text + ("T" + clock if clock else "")


def _plain(text):
    """`Z` as an offset and fractions in six digits."""
    if text[-1:] in ("Z", "z"):
        text = text[:-1] + "+00:00"
    return FRACTION.sub(lambda match: "." + match.group(1)[:6].ljust(6, "0"), text)
