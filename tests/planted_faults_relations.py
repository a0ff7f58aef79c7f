"""Faults in what is done about versions, derived copies and requests, in both engines; see planted_faults.py."""

from planted_faults import Fault

REACTING, RELATIONS = "engines/reacting.py", "engines/reference_relations.py"
SAME = "test_agreement_relations::"
VERSION, COPIES = SAME + "test_a_newer_version", SAME + "test_derived_copies_go_with_their_source"
ROOM, TIMES = SAME + "test_room_is_made_before_the_newer_version_comes", SAME + "test_validity_by_event_time"
COUNTS = SAME + "test_results_count_what_concerns_several_items_where_there_is_such"

RELATION_FAULTS = (
    Fault(
        "hidden recalls are no misses",
        REACTING,
        "outcome.items.add(MISSES, self.given.item_start, missed)",
        "pass",
        VERSION,
    ),
    Fault(
        "the older version goes late",
        REACTING,
        "older[item[at]], -1, SUPERSEDE",
        "older[item[at]], 1, SUPERSEDE",
        ROOM,
    ),
    Fault("the newcomer is never hidden", REACTING, "then < before)]", "then < 0)]", TIMES),
    Fault("copies of copies stay", REACTING, "while len(newer) > 0:", "while False:", COPIES),
    Fault("copies go by another reason", REACTING, "copy[by_source][", "source[by_source][", COPIES),
    Fault(
        "what misses is stale",
        REACTING,
        "hits = (self.given.touch_kind == RECALL) & (missed == 0)",
        "hits = self.given.touch_kind == RECALL",
        COUNTS,
    ),
    Fault("equal times close", "policies/reactions.py", "or newer_turn == older_turn", "", TIMES),
    Fault("copies of copies stay, plainly", RELATIONS, "waiting += session.sources[source]", "pass", COPIES),
    Fault(
        "what comes back is outdated",
        RELATIONS,
        "        self.outdated.discard(item)\n",
        "",
        SAME + "test_what_should_not_be_found_is_counted",
    ),
    Fault(
        "what is hidden is found",
        "engines/scalar_memory.py",
        "if state is None or item in self.hidden:",
        "if state is None:",
        VERSION,
    ),
    Fault(
        "what comes back stays hidden",
        "engines/scalar_memory.py",
        "        self.hidden.pop(item, None)\n",
        "",
        SAME + "test_an_older_version_may_come_back",
    ),
)
