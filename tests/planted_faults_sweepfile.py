"""Faults in reading a sweep file, in the code that it names and in what is pickled and stored of it."""

from planted_faults import Fault

OWN, MODEL, SPEC = "own_file.py", "sweepfile/model.py", "sweepfile/spec.py"
TRACE_AXES = "test_sweepfile_trace_file::test_axes_over_rules_equal_logs_read_by_them"
AXES, COMBINING, OVERRIDES = "sweepfile/axes.py", "sweepfile/combining.py", "sweepfile/overrides.py"

SWEEPFILE_FAULTS = (
    Fault(
        "the digest is that of the file alone",
        OWN, "if len(each) == 1:", "if each:",
        "test_own_file::test_every_local_module_that_is_imported_is_part_of_the_code",
    ),
    Fault(
        "what an imported module imports is left out",
        OWN, "waiting.extend(_imported(file.content", "list(_imported(file.content",
        "test_own_file::test_every_local_module_that_is_imported_is_part_of_the_code",
    ),
    Fault(
        "a relative import is read as an absolute one",
        OWN, "if node.level and package else []", "if node.level > 9 else []",
        "test_own_file::test_every_local_module_that_is_imported_is_part_of_the_code",
    ),
    Fault(
        "installed packages are part of a person's code",
        OWN, " and not _is_target(root)]", "]",
        "test_own_file::test_a_module_on_the_import_path_is_local_where_no_packages_are_installed",
    ),
    Fault(
        "a copy of the code is taken whatever it holds",
        OWN, "if code is not None and code.digest == sha256:", "if code is not None:",
        "test_own_file::test_a_copy_is_as_good_as_the_files",
    ),
    Fault(
        "a module of the same name that is loaded already is taken",
        OWN, "        sys.meta_path.insert(0, finder)\n",
        "        sys.meta_path.insert(0, finder)\n        sys.modules.update(held)\n",
        "test_own_file::test_two_files_may_import_two_modules_of_one_name",
    ),
    Fault(
        "somebody else's module of the same name is replaced",
        OWN, 'if not isinstance(getattr(was, "__loader__"', 'if isinstance(getattr(was, "__loader__"',
        "test_own_file::test_two_files_may_import_two_modules_of_one_name",
    ),
    Fault(
        "a pickled policy of a person's own comes back with its defaults",
        MODEL, '.build(state["policy"])', ".build({})",
        "test_sweepfile_model::test_a_sweep_can_be_pickled",
    ),
    Fault(
        "a pickled workload of a person's own comes back with its defaults",
        MODEL, '.build(state["workload"])', ".build({})",
        "test_sweepfile_model::test_a_sweep_can_be_pickled",
    ),
    Fault(
        "the name of a sweep is part of its meaning",
        MODEL, '{"name", "title",', '{"title",',
        "test_sweepfile_resolved::test_the_name_is_only_a_name",
    ),
    Fault(
        "a value that an axis replaces is part of the meaning",
        MODEL, "                del table[name]\n", "                pass\n",
        "test_sweepfile_resolved::test_a_value_that_an_axis_replaces_means_nothing",
    ),
    Fault(
        "the first axis varies fastest",
        MODEL, "for size in reversed(sizes):", "for size in sizes:",
        "test_sweepfile_points::test_a_grid_counts_like_a_number",
    ),
    Fault(
        "all axes are drawn alike",
        MODEL, 'f"{random_seed}/{parameter}/{point}"', 'f"{random_seed}/{point}"',
        "test_sweepfile_points::test_random_points_depend_on_nothing_else",
    ),
    Fault(
        "a label may stand twice",
        SPEC, "elif label in targets.classes:", "elif label in ():",
        "test_sweepfile_spec::test_every_mistake_is_named_in_one_go",
    ),
    Fault(
        "checkpoints stay in the order of the file",
        SPEC, "tuple(sorted(set(sweep.checkpoints)))", "tuple(sweep.checkpoints)",
        "test_sweepfile_spec::test_checkpoints_rise_and_stand_once",
    ),
    Fault(
        "a sweep that is too long to be read again is stored",
        SPEC, "if size > MOST_BYTES:", "if size > 99 * MOST_BYTES:",
        "test_sweepfile_spec::test_a_sweep_too_long_to_be_stored_is_refused",
    ),
    Fault(
        "a random sweep may draw from doubled values",
        SPEC, 'once=combine in ("grid", "random")', 'once=combine == "grid"',
        "test_sweepfile_axis_reading::test_a_column_of_a_zip_may_repeat_itself",
    ),
    Fault(
        "minus zero is another value than zero",
        "sweepfile/axis_reading.py", "return value + 0.0 if isinstance", "return value if isinstance",
        "test_sweepfile_axis_reading::test_zero_has_no_sign",
    ),
    Fault(
        "a faulty entry of a list is read on",
        "sweepfile/tables.py", "[None if findings.concern((*path, place)) else one for", "[one for",
        "test_sweepfile_tables::test_the_sound_keys_of_a_faulty_table_are_still_read",
    ),
    Fault(
        "the policies are not counted among the cells",
        COMBINING, "if points * num_policies > limit:", "if points > limit:",
        "test_sweepfile_combining::test_too_many_cells_are_refused_from_arithmetic",
    ),
    Fault(
        "points are counted from nought",
        COMBINING, "(at point {point + 1})", "(at point {point})",
        "test_sweepfile_combining::test_values_that_do_not_go_together_name_the_point",
    ),
    Fault(
        "a gap in a point takes the default, not the value of the policy's own table",
        COMBINING, "bases[label].every_value()[own_name]", "type(bases[label])().every_value()[own_name]",
        "test_sweepfile_combining::test_points_may_be_written_in_both_ways_and_leave_gaps",
    ),
    Fault(
        "equal distances are added up in floats",
        AXES, "return float(first + step * index)", "return float(first) + float(step) * index",
        "test_sweepfile_axes::test_values_pass_through_what_a_person_expects",
    ),
    Fault(
        "a range leaves out its end",
        AXES, "// self.step + 1", "// self.step",
        "test_sweepfile_axes::test_values_pass_through_what_a_person_expects",
    ),
    Fault(
        "an option moves the axis that it changes to the end",
        OVERRIDES, "axes[place : place + 1] = [entry]", "axes[:] = [*axes[:place], *axes[place + 1 :], entry]",
        "test_sweepfile_overrides::test_several_values_replace_or_add_an_axis",
    ),
    Fault(
        "an option leaves the axis over the value that it sets",
        OVERRIDES, "[axis for axis in axes if not _is_over(axis, name)]", "list(axes)",
        "test_sweepfile_overrides::test_one_value_sets_the_parameter_and_removes_its_axis",
    ),
    Fault(
        "a range from Python loses its step",
        OVERRIDES, '"step": value.step', '"step": 1',
        "test_sweepfile_overrides::test_values_of_python_change_a_sweep_as_options_do",
    ),
    Fault(
        "a range of seeds from Python loses its step",
        "sweepfile/seeds.py", "isinstance(given, range) and given.step == 1", "isinstance(given, range)",
        "test_sweepfile_seeds::test_seeds_from_python_take_one_of_the_forms",
    ),
    Fault(
        "consecutive seeds in a list are another sweep than the range",
        "sweepfile/seeds.py", "return consecutive if all", "return tuple(raw) if all",
        "test_sweepfile_seeds::test_a_list_of_consecutive_seeds_is_the_range",
    ),
    Fault(
        "a mark at the start of a file spoils it",
        "sweepfile/toml_text.py", r'content.removeprefix(b"\xef\xbb\xbf")', "bytes(content)",
        "test_sweepfile_toml_text::test_a_file_is_read_with_or_without_a_byte_order_mark",
    ),
    Fault(
        "parameters in capitals are columns of their own",
        COMBINING, "name = one.name.lower()", "name = one.name",
        "test_quantities::test_parameters_that_cannot_be_columns_are_named",
    ),
    Fault(
        "a policy and a workload may share a column",
        COMBINING, "if is_workload != of_workload or one.name", "if one.name",
        "test_quantities::test_no_parameter_of_a_policy_shares_a_column_with_the_workload",
    ),
    Fault(
        "a log is not read again by the rules of an axis",
        "sweepfile/trace_file.py", "**rules.values()})", "**self.first.rules.values()})",
        TRACE_AXES,
    ),
    Fault(
        "any rule shares what was read by another",
        "sweepfile/trace_file.py", "if replace(rules, on_miss=known.rules.on_miss) == known.rules:", "if known:",
        TRACE_AXES,
    ),
    Fault(
        "what came of a cell is remembered whatever the rules of its log",
        "run/play.py", "tuple(workload.values().items()) if", "() if",
        "test_sweepfile_trace_file::test_points_name_rules_and_engines_agree",
    ),
)  # fmt: skip
