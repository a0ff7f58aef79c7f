"""Faults in the memory systems and the engine that plays them; see planted_faults.py."""

from planted_faults import Fault

ENGINE = "engines/reference_systems.py"
QUEUES = "test_policies_systems::test_queues_of_messages_by_hand"

SYSTEM_FAULTS = (
    Fault(
        "what is written anew keeps its place",
        ENGINE,
        "        self.view.held.pop(item, None)\n        self.view.held[item] = new",
        "        self.view.held[item] = new",
        "test_policies_systems::test_a_registration_of_what_is_there_goes_to_the_end",
    ),
    Fault(
        "pinned items take no part of the window",
        ENGINE,
        "self.view.pinned_tokens += 0 if there else tokens",
        "self.view.pinned_tokens += 0",
        QUEUES,
    ),
    Fault(
        "what goes for its age goes for want of room",
        ENGINE,
        "DECAYED if decayed else CAPACITY",
        "CAPACITY",
        "test_policies_systems::test_each_run_takes_a_tenth",
    ),
    Fault(
        "the crossing message of LangMem stays", "policies/lang_mem.py", "every[:number]", "every[: number - 1]", QUEUES
    ),
    Fault(
        "a user's message is the first that stays", "policies/mem_gpt.py", "every[cut].category == USER", "0", QUEUES
    ),
    Fault("Letta rounds down", "policies/letta.py", "min(round(share", "min(int(share", QUEUES),
    Fault(
        "a buffer is flushed when it is full",
        "policies/light_mem.py",
        "_tokens(segment) > self.short",
        "_tokens(segment) >= self.short",
        QUEUES,
    ),
    Fault(
        "the mid tier is a queue",
        "policies/agent_memory_tiers.py",
        "            view.move(found, _MID)\n",
        "            pass\n",
        "test_policies_systems::test_the_mid_tier_is_an_lru",
    ),
    Fault(
        "a learned segment is lost",
        "policies/memory_os.py",
        "if one.notes.known:",
        "if False:",
        "test_policies_systems::test_what_memory_os_learned_is_known",
    ),
    Fault(
        "the code looks at the heat",
        "policies/memory_os_as_published.py",
        "return segment.accesses",
        "return self.heat(view, segment)",
        "test_policies_systems::test_memory_os_by_hand",
    ),
    Fault(
        "a neighbour's recall is a touch",
        "policies/your_memory_graph.py",
        "            one.recalls += 1",
        "            one.recalls, one.touched = one.recalls + 1, view.now",
        "test_policies_systems::test_links_protect_for_ever",
    ),
    Fault(
        "the schedule does not matter",
        "policies/simple_mem.py",
        "one.notes *= self.decay_factor",
        "one.notes *= self.decay_factor**self.run_period_days",
        "test_policies_systems::test_each_run_takes_a_tenth",
    ),
    Fault(
        "links count for nothing",
        "policies/mcp_memory_service.py",
        "linked = 1 + (0.1 * links)",
        "linked = 1 + (0.0 * links)",
        "test_policies_systems::test_relevance_by_hand",
    ),
    Fault(
        "the hour of a short memory is inclusive",
        "policies/agent_memory_manager.py",
        "self.turns_per_day) > self.life_seconds",
        "self.turns_per_day) >= self.life_seconds",
        "test_policies_systems::test_levels_by_hand",
    ),
    Fault(
        "all items are as urgent",
        "sessions/budget_pressure.py",
        "self.recalls_per_turn * self.urgent_factor",
        "self.recalls_per_turn",
        "test_sessions_budget_pressure::test_all_are_needed_and_some_more_often",
    ),
    Fault(
        "all facts are there from the start",
        "sessions/long_project.py",
        "1 + item * self.session_length // self.num_foundational",
        "1 + item",
        "test_sessions_long_project::test_facts_come_throughout_and_few_outputs_take_most_of_the_room",
    ),
)
