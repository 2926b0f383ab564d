"""Files: leases on paths, taken before every write without the agent asking."""

FILE = "file:"
WAIT = "wait:"
WAITING = "waiting:"
SEEN = "seen:"
STOP = "stop:"
