"""Faults in the orders and budgets of cache policies, in both engines; see planted_faults.py."""

from planted_faults import Fault

KERNEL, ORDERS, QUEUES = (f"engines/kernels/{name}.py" for name in ("cache_kernel", "orders", "queues"))
SAME = "test_engines_by_cache::test_the_kernel_is_the_reference"

CACHE_FAULTS = (
    Fault("pinned items take nothing", KERNEL, "numbers[LIMIT] - counts[PINNED]", "numbers[LIMIT]", SAME),
    Fault(
        "a place is not free after an eviction",
        KERNEL,
        "    counts[TAKEN] -= size\n    if pinned:",
        "    if pinned:",
        SAME,
    ),
    Fault(
        "an item is the last to hear that it expires", KERNEL, "max(int(item_expires[item]), entered)", "entered", SAME
    ),
    Fault(
        "a heap of one child",
        QUEUES,
        "if below + 1 < size and goes_before",
        "if below + 2 < size and goes_before",
        SAME,
    ),
    Fault("the hand stays on what has left", ORDERS, "if kind == SIEVE and counts[HAND] == item:", "if False:", SAME),
    Fault(
        "a hit moves nothing",
        ORDERS,
        "    if kind == LRU:\n        if links",
        "    if kind == LRU:\n        if False and links",
        SAME,
    ),
    Fault(
        "the ghost is too large",
        ORDERS,
        "counts[IN_GHOST] + size > numbers[GHOST_LIMIT]",
        "counts[IN_GHOST] > numbers[GHOST_LIMIT]",
        SAME,
    ),
    Fault("the same draw every time", ORDERS, "counts[DRAWS] += 1", "counts[DRAWS] += 0", SAME),
    Fault(
        "what returns is not marked as touched",
        "engines/orders.py",
        "(self.main if self.returns or fills else self.small)",
        "(self.main if fills else self.small)",
        "test_engines_by_cache::test_the_ghost_of_s3_fifo",
    ),
    Fault(
        "too large an item empties the memory",
        "engines/reference_caches.py",
        "if size > self.limit - sum(map(self.size, pinned)):",
        "if size > self.limit:",
        "test_engines_by_cache::test_pins_stay_and_what_never_fits_goes_alone",
    ),
    Fault(
        "MemoryOS's tie is libCacheSim's",
        "engines/orders.py",
        "self.ranks[item] = self.ranks[item][0], before[1]",
        "self.ranks[item] = self.ranks[item]",
        "test_engines_by_cache::test_ties_of_lfu",
    ),
    Fault(
        "the farthest next recall is kept",
        "engines/orders.py",
        "        return -at\n",
        "        return at\n",
        SAME,
    ),
    Fault(
        "tokens count items",
        "engines/by_cache.py",
        "tokens if policy.counts_tokens() else NO_COUNTS,",
        "NO_COUNTS,",
        SAME,
    ),
    Fault(
        "an empty slot is closed from above",
        "engines/kernels/stack_kernel.py",
        "                stack[lower] = NOTHING\n",
        "                pass\n",
        "test_engines_stack_curve::test_one_pass_is_every_capacity",
    ),
    Fault(
        "the worse one stays",
        "engines/kernels/stack_kernel.py",
        "stack[slot & NO_SIGN] = max(carried, held)",
        "stack[slot & NO_SIGN] = carried",
        "test_engines_stack_curve::test_one_pass_is_every_capacity",
    ),
    Fault(
        "a full stack drops the item above the last",
        "engines/kernels/stack_kernel.py",
        "gone = int(stack[last])",
        "gone = int(stack[last - 1])",
        "test_engines_stack_curve::test_one_pass_is_every_capacity",
    ),
    Fault(
        "pinned items are held by no memory",
        "engines/kernels/stack_kernel.py",
        "counts[TURNS * width] += turns * state[PINNED]",
        "counts[TURNS * width] += 0 * state[PINNED]",
        "test_engines_stack_curve::test_one_pass_is_every_capacity",
    ),
    Fault(
        "a miss that registers its item anew is no registration",
        "run/curve.py",
        "same[RECALLS] - counts[HITS]",
        "0 * counts[HITS]",
        "test_engines_stack_curve::test_one_pass_is_every_capacity",
    ),
    Fault(
        "what goes for another is not shown",
        "engines/played.py",
        "        self._record(turn, [one for one in there",
        "        self._record(turn, [one for one in there[:0]",
        "test_engines_by_cache::test_a_session_shows_who_made_room",
    ),
)

CAPACITY, MEMORY = "engines/kernels/capacity_kernel.py", "engines/scalar_memory.py"
HELD = "engines/kernels/held.py"
LIMITED = "test_engines_by_capacity::test_the_kernel_is_the_reference[ebbinghaus]"
RANKED = "test_engines_by_capacity::test_the_kernel_is_the_reference[importance_prune]"
EQUAL = "test_engines_by_capacity::test_the_kernel_is_the_reference[keep_all]"

CACHE_FAULTS += (
    Fault("what has decayed takes room", CAPACITY, "    if counts[EARLIEST] <= edge:", "    if False:", LIMITED),
    Fault("an insertion sees the pass", CAPACITY, "if moment == IN_PASS else now - 1", "if True else 0", LIMITED),
    Fault("the latest goes first", HELD, "return bool(touched < other)", "return bool(touched > other)", EQUAL),
    Fault("a queue is in the order of calls", HELD, "while before > item and", "while False and", EQUAL),
    Fault(
        "a recalled item stays in its queue",
        HELD,
        "elif slots[item * NUM_SLOTS + PLACE] >= counts[SINGLE]:",
        "elif False:",
        LIMITED,
    ),
    Fault(
        "a life that was seen lasts a turn longer",
        CAPACITY,
        "gone = turn + int(queues[queue + LIFE])",
        "gone = turn + int(queues[queue + LIFE]) + 1",
        LIMITED,
    ),
    Fault("a newborn is not spared", CAPACITY, "spared = item if moment", "spared = NOBODY if moment", RANKED),
    Fault("pinned items leave all", CAPACITY, "left = limit - counts[PINNED_TAKEN]", "left = limit", EQUAL),
    Fault("what went takes room still", CAPACITY, "    counts[TAKEN] -= size\n", "", EQUAL),
    Fault("a table answers for age 0", CAPACITY, "parameters.start[entry] + age)", "parameters.start[entry])", LIMITED),
    Fault(
        "large items need room like others",
        MEMORY,
        "and size(item) > left]",
        "and size(item) > limit]",
        "test_policies_capacity::test_an_item_larger_than_the_budget_goes_alone",
    ),
    Fault(
        "every capacity is looked at before the pass",
        MEMORY,
        "inserted and self.budget.evict_at == AFTER_INSERT",
        "inserted",
        "test_policies_capacity::test_the_lowest_score_goes_first",
    ),
    Fault(
        "a window evicts the newest",
        "policies/recency_window.py",
        "return -float(age)",
        "return float(age)",
        "test_policies_capacity::test_an_age_alone_makes_it_a_cache",
    ),
)
