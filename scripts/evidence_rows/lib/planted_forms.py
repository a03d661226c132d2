"""Texts that together have every small grammar inside HLO text, each with a form planted that no XLA prints.

`planted_forms()` yields (name, original text, planted text). Both differ in one place. The planted form is balanced, so a
reader can tell where it ends without understanding it."""
import re

HEADER = """HloModule planted{header}

"""

ONE = """ENTRY %main (x: f32[4]) -> f32[4] {{
  %x = f32[4]{{0}} parameter(0){attributes}
  ROOT %twice = f32[4]{{0}} add(%x, %x)
}}

"""

SUM = """%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %total = f32[] add(%a, %b)
}

"""

TABLES = """

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
"""


def on_parameter(old, new):
    """A form in an attribute that any instruction takes."""
    return [(HEADER.format(header="") + ONE.format(attributes=f", {each}")) for each in (old, new)]


def in_header(old, new):
    return [HEADER.format(header=f", {each}") + ONE.format(attributes="") for each in (old, new)]


def in_tables(old, new):
    text = "HloModule planted" + TABLES + "\n\n" + ONE.format(attributes="")
    return text, text.replace(old, new, 1)


def without_layouts(shape):
    return re.sub(r"\{[^}]*\}", "", shape)


def on_root(parameters, result, op, old, new, before=""):
    """A form in an attribute of the root, whose operands are the parameters."""
    signature = ", ".join(f"p.{i}: {without_layouts(shape)}" for i, shape in enumerate(parameters))
    signature += ") -> " + without_layouts(result)
    lines = [f"%p.{i} = {shape} parameter({i})" for i, shape in enumerate(parameters)]
    lines.append(f"ROOT %result = {result} {op}")
    text = HEADER.format(header="") + before + f"ENTRY %main ({signature} {{\n"
    text += "".join(f"  {line}\n" for line in lines) + "}\n\n"
    assert text.count(old) == 1, (old, text)
    return text, text.replace(old, new)


def planted_forms():
    """Yields (name, original text, planted text)."""
    shape = "f32[4]{0}"
    matrix = "f32[4,4]{1,0}"
    # What any instruction may have.
    for name, old, new in (
            ("sharding", "sharding={replicated}", "sharding={scattered over='moon'}"),
            ("sharding of a device", "sharding={single_device[device_id=0]}", "sharding={single_device[place=(0,1)]}"),
            ("sharding of a tuple", "sharding={devices=[2]<=[2]}", "sharding={{replicated}, {<2>[4]}}"),
            ("named sharding", "sharding={mesh['a'=2], [{'a'}]}", "sharding={mesh['a'=2], [{'a'}], folded={'a'}}"),
            ("mesh", "sharding={mesh['a'=2], [{'a'}]}", "sharding={mesh['a'=2;torus], [{'a'}]}"),
            ("metadata field", 'metadata={op_name="a"}', 'metadata={op_name="a" moon_phase=(3,4)}'),
            ("metadata value", 'metadata={op_name="a" source_line=3}', 'metadata={op_name="a" source_line=[3:7]}'),
            ("metadata", 'metadata={op_name="a"}', 'metadata=(op_name "a")'),
            ("profile types", 'metadata={op_name="a" profile_type={1}}', 'metadata={op_name="a" profile_type={one}}'),
            ("frontend attributes", 'frontend_attributes={a="1"}', 'frontend_attributes={a=[1,2]}'),
            ("frontend attribute list", 'frontend_attributes={a="1"}', 'frontend_attributes=[a]'),
            ("backend config", 'backend_config="x"', "backend_config=[x, y]"),
            ("control predecessors", "control-predecessors={}", "control-predecessors={<twice>}"),
            ("parameter replication", "parameter_replication={true}", "parameter_replication={mostly}"),
            ("attribute", "sharding={replicated}", 'weather={"rain", (now)}'),
            ("statistics", "statistics={visualizing_index=0,a=1.5}", "statistics={visualizing_index=0,a=[1;2]}"),
            ("result accuracy", "result_accuracy={mode=highest}", "result_accuracy={digits={3}}"),
            ("origin", 'origin={{"x"}}', 'origin={{"x" @ step(3)}}'),
    ):
        yield (name, *on_parameter(old, new))
    # The module's first line.
    for name, old, new in (
            ("schedule flag", "is_scheduled=true", "is_scheduled=perhaps"),
            ("input aliases", "input_output_alias={ {}: (0, {}, may-alias) }", "input_output_alias={ {}: (0, {}, might-alias) }"),
            ("buffer donors", "buffer_donor={ (0, {}) }", "buffer_donor={ (0, {}, half) }"),
            ("layout of the entry", "entry_computation_layout={(f32[4]{0})->f32[4]{0}}",
             "entry_computation_layout={<f32[4]{0}>->f32[4]{0}}"),
            ("propagation to parameters", "allow_spmd_sharding_propagation_to_parameters={true}",
             "allow_spmd_sharding_propagation_to_parameters={maybe}"),
            ("replicas", "replica_count=2", "replica_count=2..4"),
            ("partitions", "num_partitions=2", "num_partitions={2,2}"),
            ("attributes of the module", 'frontend_attributes={a="1"}', "frontend_attributes={a=<1>}"),
            ("attribute of the module", "replica_count=2", "moons={'phobos'=1}"),
    ):
        yield (name, *in_header(old, new))
    # The tables of the stack.
    for name, old, new in (
            ("file name", '1 "a.py"', '1 "a.py"@3'),
            ("function name", '1 "f"', '1 <f>'),
            ("file location", "column=1 end_column=2", "column=1 end_column=2 inlined=(1)"),
            ("stack frame", "parent_frame_id=1}", "parent_frame_id=1 depth=[2]}"),
            ("stack table", "\n\n\nENTRY", '\n\nInlinees\n1 {frame=1}\n2 {frame=1}\n\n\nENTRY'),
    ):
        yield (name, *in_tables(old, new))
    # Shapes, layouts and values.
    for name, result, old, new in (
            ("element type", "f32[4]{0}", "f32[4]{0} negate", "f9e3[4]{0} negate"),
            ("layout", matrix, "{1,0} negate", "{row-major} negate"),
            ("layout order", matrix, "{1,0} negate", "{1,0;Z} negate"),
            ("layout part", matrix, "{1,0} negate", "{1,0:Q(3)} negate"),
            ("tile", matrix, "{1,0} negate", "{1,0:T8x128} negate"),
            ("memory space", matrix, "{1,0} negate", "{1,0:S(hbm)} negate"),
            ("dimension", "f32[4]{0}", "f32[4]{0} negate", "f32[4..8]{0} negate"),
    ):
        bare = without_layouts(result)
        line = f"%x = {result} parameter(0)", f"%y = {result} negate(%x)", f"ROOT %z = {bare} custom-call(%y), " \
            'custom_call_target="t"'
        text = HEADER.format(header="") + f"ENTRY %main (x: {bare}) -> {bare} {{\n" + "".join(f"  {each}\n" for each in line)
        text += "}\n\n"
        assert text.count(old) == 1, (name, text)
        yield name, text, text.replace(old, new)
    for name, result, old, new in (
            ("value", "s32[2]{0}", "{1, 2}", "{1, #2}"),
            ("scalar value", "f32[]", "(1)", "(fp:1p0)"),
            ("nan payload", "f32[]", "(nan)", "(nan<signalling>)"),
    ):
        bare = without_layouts(result)
        value = {"s32[2]{0}": "{1, 2}"}.get(result, old.strip("()"))
        text = HEADER.format(header="") + f"ENTRY %main () -> {bare} {{\n  %c = {result} constant({value})\n"
        text += f"  ROOT %d = {result} negate(%c)\n}}\n\n"
        assert text.count(old) == 1, (name, text)
        yield name, text, text.replace(old, new)
    # What one op has.
    for name, parameters, result, op, old, new in (
            ("window", [matrix, "f32[]"], "f32[2,2]{1,0}",
             "reduce-window(%p.0, %p.1), window={size=2x2 stride=2x2}, to_apply=%sum", "{size=2x2 stride=2x2}",
             "{size=2x2 stride=2x2 skew=1x0}"),
            ("window size", [matrix, "f32[]"], "f32[2,2]{1,0}",
             "reduce-window(%p.0, %p.1), window={size=2x2 stride=2x2}, to_apply=%sum", "size=2x2", "size=2by2"),
            ("computation", [shape, "f32[]"], "f32[]", "reduce(%p.0, %p.1), dimensions={0}, to_apply=%sum", "to_apply=%sum",
             "to_apply=%sum:fast"),
            ("dimensions", [shape], matrix, "broadcast(%p.0), dimensions={1}", "{1}", "{1~}"),
            ("permutation", [matrix], matrix, "transpose(%p.0), dimensions={1,0}", "dimensions={1,0}", "dimensions=(0 1)"),
            ("slice", [shape], "f32[2]{0}", "slice(%p.0), slice={[0:2]}", "{[0:2]}", "{[0..2]}"),
            ("sizes of a slice", [shape, "s32[]"], "f32[2]{0}", "dynamic-slice(%p.0, %p.1), dynamic_slice_sizes={2}", "={2}",
             "={2/1}"),
            ("padding", [shape, "f32[]"], "f32[6]{0}", "pad(%p.0, %p.1), padding=1_1", "1_1", "1&1"),
            ("replica groups", [shape], shape, "all-reduce(%p.0), replica_groups={{0,1}}, to_apply=%sum", "{{0,1}}",
             "{{0-1}}"),
            ("device list", [shape], shape, "all-reduce(%p.0), replica_groups=[1,2]<=[2], to_apply=%sum", "[1,2]<=[2]",
             "[1,2]<~[2]"),
            ("mesh of groups", [shape], shape, "all-reduce(%p.0), replica_groups=mesh['a'=2] {'a'}, to_apply=%sum",
             "mesh['a'=2] {'a'}", "torus['a'=2] {'a'}"),
            ("channel", [shape], shape, "all-reduce(%p.0), channel_id=1, replica_groups={{0,1}}, to_apply=%sum",
             "channel_id=1", "channel_id={1,2}"),
            ("source and target", [shape], shape, "collective-permute(%p.0), source_target_pairs={{0,1}}", "{{0,1}}",
             "{0->1}"),
            ("flag", [shape], shape, "all-reduce(%p.0), channel_id=1, replica_groups={{0,1}}, "
             "use_global_device_ids=true, to_apply=%sum", "ids=true", "ids=sometimes"),
            ("contracted dimensions", [matrix, matrix], matrix,
             "dot(%p.0, %p.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "lhs_contracting_dims={1}",
             "lhs_contracting_dims={1:half}"),
            ("operand precision", [matrix, matrix], matrix,
             "dot(%p.0, %p.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,high}",
             "{high,high}", "{high,(6,9)}"),
            ("algorithm", [matrix, matrix], matrix,
             "dot(%p.0, %p.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_f32_f32_f32",
             "=dot_f32_f32_f32", "={dot,f32}"),
            ("labels", ["f32[1,4,4,1]{3,2,1,0}", "f32[1,1,1,1]{3,2,1,0}"], "f32[1,4,4,1]{3,2,1,0}",
             "convolution(%p.0, %p.1), window={size=1x1}, dim_labels=b01f_01io->b01f", "b01f_01io->b01f", "(b,0,1,f)"),
            ("groups of features", ["f32[1,4,4,1]{3,2,1,0}", "f32[1,1,1,1]{3,2,1,0}"], "f32[1,4,4,1]{3,2,1,0}",
             "convolution(%p.0, %p.1), window={size=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=1", "count=1",
             "count=auto"),
            ("direction", [shape, shape], "pred[4]{0}", "compare(%p.0, %p.1), direction=LT", "=LT", "={LT,EQ}"),
            ("comparison type", [shape, shape], "pred[4]{0}", "compare(%p.0, %p.1), direction=LT, type=TOTALORDER",
             "=TOTALORDER", "=[TOTALORDER]"),
            ("gather", ["f32[8]{0}", "s32[4,1]{1,0}"], shape,
             "gather(%p.0, %p.1), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
             "slice_sizes={1}", "start_index_map={0}", "start_index_map={0=>0}"),
            ("scatter", ["f32[8]{0}", "s32[4,1]{1,0}", shape], "f32[8]{0}",
             "scatter(%p.0, %p.1, %p.2), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
             "index_vector_dim=1, to_apply=%sum", "inserted_window_dims={0}", "inserted_window_dims={0 of 1}"),
            ("index of an element", ["(f32[4]{0}, f32[4]{0})"], shape, "get-tuple-element(%p.0), index=0", "index=0",
             "index=first"),
            ("iota dimension", [], shape, "iota(), iota_dimension=0", "dimension=0", "dimension=<0>"),
            ("target of a call", [shape], shape, 'custom-call(%p.0), custom_call_target="t"', '"t"', "<t>"),
            ("aliases of a call", [shape], shape,
             'custom-call(%p.0), custom_call_target="t", output_to_operand_aliasing={{}: (0, {})}', "{{}: (0, {})}",
             "{{}: (0, {}, half)}"),
            ("layouts of a call", [shape], shape,
             'custom-call(%p.0), custom_call_target="t", operand_layout_constraints={f32[4]{0}}', "={f32[4]{0}}",
             "={any}"),
            ("literal of a call", [shape], shape, 'custom-call(%p.0), custom_call_target="t", literal=s32[1] {3}', "s32[1] {3}",
             "hex(0x03)"),
            ("api version", [shape], shape, 'custom-call(%p.0), custom_call_target="t", api_version=API_VERSION_TYPED_FFI',
             "=API_VERSION_TYPED_FFI", "={5,1}"),
            ("computations of a call", [shape], shape, 'custom-call(%p.0), custom_call_target="t", called_computations={%sum}',
             "{%sum}", "{%sum*2}"),
            ("config of a call", [shape], shape, 'custom-call(%p.0), custom_call_target="t", backend_config="x"', '="x"',
             "=<x>"),
            ("domain", [shape], shape, 'domain(%p.0), domain={kind="sharding", entry={maximal device=1}, exit={replicated}}',
             "{maximal device=1}", "{somewhere}"),
            ("sparsity", ["f32[1,4,4,1]{3,2,1,0}", "f32[1,1,1,1]{3,2,1,0}"], "f32[1,4,4,1]{3,2,1,0}",
             "convolution(%p.0, %p.1), window={size=1x1}, dim_labels=b01f_01io->b01f, "
             "sparsity_config={lhs={sparsity=2x4 dimension=1 stride=1 idx=0}}", "sparsity=2x4", "sparsity=2of4"),
            ("solve option", [matrix, matrix], matrix, "triangular-solve(%p.0, %p.1), left_side=true, lower=true, "
             "transpose_a=NO_TRANSPOSE", "=NO_TRANSPOSE", "={NO}"),
            ("fft", ["c64[4]{0}"], "c64[4]{0}", "fft(%p.0), fft_type=FFT, fft_length={4}", "{4}", "{4^1}"),
            ("bits of a number", [shape], shape, "reduce-precision(%p.0), exponent_bits=8, mantissa_bits=7", "bits=7", "bits=7.5"),
            ("random algorithm", ["u64[2]{0}"], "(u64[2]{0}, u32[4]{0})", "rng-bit-generator(%p.0), algorithm=rng_philox",
             "=rng_philox", "={philox,10}"),
    ):
        yield (name, *on_root(parameters, result, op, old, new, before=SUM))
    # After a computation.
    text = HEADER.format(header="") + ONE.format(attributes="").rstrip("\n") + ', execution_thread="main"\n\n'
    yield "thread of a computation", text, text.replace('execution_thread="main"', "runs_on=(core, 3)")
