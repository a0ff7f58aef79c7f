"""What every kernel writes of an item: the rows of the flat item array, and why an item was evicted."""

# Rows of the item array (field, listed item), flat, one int32 per item. Turn 0 stands for "never": turns count from 1.
REGISTERED_TURN = 0
LAST_TOUCH = 1
RECALL_COUNT = 2
EVICTED_TURN = 3
HITS = 4
MISSES = 5
STATUS = 6
REGISTRATIONS = 7
NUM_ITEM_FIELDS = 8

# STATUS holds whether the item is present (0 or 1) and, above that bit, the reason of its last eviction.
PRESENT_BIT = 1
REASON_SHIFT = 1

# Reasons of an eviction; 0 is none.
DECAYED = 1
CAPACITY = 2
FORGOTTEN = 3
SUPERSEDED = 4
EXPIRED = 5
CASCADED = 6
EVICTION_REASONS = ("decayed", "capacity", "forgotten", "superseded", "expired", "cascaded")

# What is written of a recall that misses, 0 of all other touches: 1, the reason of the item's last eviction above that
# bit, and its turn above the reason's three bits.
MISSED_TURN_SHIFT = 4
MISSED_REASON = 7

# Kinds of touches, as in sessions.events.
REGISTER = 0
RECALL = 1
FORGET = 2
# Touches that ``engines.reacting`` adds: removals as by a request, for another reason, which is the kind + 1.
SUPERSEDE = SUPERSEDED - 1
CASCADE = CASCADED - 1

NEVER = 0
